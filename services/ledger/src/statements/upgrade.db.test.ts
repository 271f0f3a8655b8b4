import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, readMigrations } from '@tollgate/common/postgres/migrate';
import { createPool } from '@tollgate/common/postgres/pool';
import { freshDatabase } from '@tollgate/test-support/stores/fresh-database';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createClockedLedger } from '../../testing/ledger-clock.ts';
import { silent } from '../../testing/ledger-fixture.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { createStatementIssuer } from '../jobs/issue-statements.ts';
import { endLotsOf } from '../lots/end-lots.ts';
import { buildLateIndexes, LateIndexes } from '../store/late-indexes.ts';
import { SCHEMA } from '../store/schema.ts';
import { listStatements } from '../store/statements.ts';
import { DAY_MS } from '../store/time.ts';

/** The last migration before there were statements. */
const LAST_WITHOUT = 13;
const JANUARY = Date.UTC(2026, 0, 10);
const NEVER = new AbortController().signal;

it('a ledger of an older release gets the statements of all its months', async () => {
  const database = await freshDatabase();
  const older = makeTemporaryFolder();
  for (const { version, name } of readMigrations(MIGRATIONS_FOLDER).slice(0, LAST_WITHOUT)) {
    const file = `${String(version).padStart(4, '0')}-${name}.sql`;
    cpSync(join(MIGRATIONS_FOLDER, file), join(older.path, file));
  }
  await migrate({ databaseUrl: database.url, schema: SCHEMA, folder: older.path }, silent);
  older.remove();
  const fixture = createPool({ url: database.url, size: 1, applicationName: 'tollgate-ledger-test' }, silent);
  const drop = async () => {
    await fixture.end();
    await database.drop();
  };
  const ledger = await createClockedLedger(JANUARY, { pool: fixture, url: database.url, drop });
  try {
    const { pool } = ledger;
    const accountId = await fundedAccount(pool, 100n);
    const lot = { kind: 'granted', priority: 0, endsAtMs: BigInt(JANUARY + DAY_MS) } as const;
    const granted = {
      accountId,
      kind: 'adjustment',
      amountNanos: 30n,
      idempotencyKey: 'granted',
      reason: 'test',
    } as const;
    await makeDeposit(pool, { ...granted, lot });
    const sessionId = await leasingSession(pool, accountId, 20n);
    await settle(pool, buildCharge({ accountId, sessionId }, 12n));
    // What is still leased, 8, does not end.
    await ledger.setTime(Date.UTC(2026, 1, 3));
    await endLotsOf(pool, accountId);
    await ledger.setTime(Date.UTC(2026, 3, 3));

    await migrate({ databaseUrl: database.url, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
    const issue = createStatementIssuer({ pool, lateIndexes: new LateIndexes(pool), logger: silent });
    await issue(NEVER);
    expect(await listStatements(pool, accountId, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    expect(await buildLateIndexes(pool, NEVER)).toContain('transfers_2026_02_expired');
    await issue(NEVER);
    expect(await listStatements(pool, accountId, Number.MAX_SAFE_INTEGER, 10)).toMatchObject([
      { month: '2026-03', openingNanos: 108n, closingNanos: 108n },
      { month: '2026-02', openingNanos: 118n, expiredNanos: -10n, closingNanos: 108n },
      { month: '2026-01', openingNanos: 0n, chargesNanos: -12n, adjustmentsNanos: 30n, closingNanos: 118n },
    ]);
    expect(await brokenInvariants(pool)).toEqual([]);
  } finally {
    await ledger.drop();
  }
});
