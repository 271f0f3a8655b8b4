import { status } from '@grpc/grpc-js';
import { idFloor, newId } from '@tollgate/common/ids';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { Duplex } from '../../testing/duplex.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { silent } from '../../testing/ledger-fixture.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { partitionName } from '../store/partitions.ts';
import { DAY_MS, monthStart } from '../store/time.ts';
import { settleIsolating } from './settle-records.ts';
import { settlementRecord } from './settlement-record.ts';

const { POSTED, QUARANTINED } = SettleOutcome;

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

async function leased(): Promise<{ accountId: string; sessionId: string }> {
  const accountId = await fundedAccount(ledger.pool, 1_000n);
  return { accountId, sessionId: await leasingSession(ledger.pool, accountId, 1_000n) };
}

/** Makes every insertion of charges fail as the database itself would. @returns ends that */
async function failInsertions(sqlState: string): Promise<() => Promise<unknown>> {
  await ledger.pool.query(`
    CREATE FUNCTION ledger.fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'made to fail' USING ERRCODE = '${sqlState}'; END $$;
    CREATE TRIGGER fails BEFORE INSERT ON ledger.charges FOR EACH STATEMENT EXECUTE FUNCTION ledger.fail()`);
  return () => ledger.pool.query('DROP FUNCTION ledger.fail() CASCADE');
}

async function quarantined(): Promise<number> {
  const { rows } = await ledger.pool.query<{ count: bigint }>('SELECT count(*) FROM ledger.quarantine');
  return Number(rows[0]?.count);
}

describe('an error that lies in the database, not in a charge', () => {
  it.each([
    ['53100', 'disk full'],
    ['42501', 'insufficient privilege'],
  ])('is an outage: %s (%s) ends the stream as unavailable, and no charge is put aside', async (sqlState) => {
    const owner = await leased();
    const charges = Array.from({ length: 5 }, () => buildCharge(owner, 100n));
    const before = await quarantined();
    const repair = await failInsertions(sqlState);
    const stream = new Duplex(ledger.client.settle());
    stream.send({ sequence: 1n, charges });
    expect(await stream.ended).toMatchObject({ code: status.UNAVAILABLE });
    expect(await quarantined()).toBe(before);
    await repair();
    const again = new Duplex(ledger.client.settle());
    again.send({ sequence: 1n, charges });
    expect((await again.next()).outcomes).toEqual(charges.map(() => POSTED));
    again.end();
  });

  it('does not include a charge that the database rejects: only that one is quarantined', async () => {
    const owner = await leased();
    const bad = buildCharge({ ...owner, model: 'refused' }, 100n);
    await ledger.pool.query("ALTER TABLE ledger.charges ADD CONSTRAINT no_such_model CHECK (model <> 'refused')");
    const outcomes = await settle(ledger.pool, buildCharge(owner, 100n), bad, buildCharge(owner, 100n));
    await ledger.pool.query('ALTER TABLE ledger.charges DROP CONSTRAINT no_such_model');
    expect(outcomes).toEqual([POSTED, QUARANTINED, POSTED]);
  });
});

it('a model too long for an index is quarantined, and does not fail the other charges', async () => {
  const owner = await leased();
  // Distinct characters of three bytes each, which Postgres cannot compress.
  const model = Array.from({ length: 1_000 }, (_, index) => String.fromCharCode(0x4e00 + index * 17)).join('');
  const outcomes = await settle(ledger.pool, buildCharge(owner, 10n), buildCharge({ ...owner, model }, 10n));
  expect(outcomes).toEqual([POSTED, QUARANTINED]);
});

describe('a month without a partition', () => {
  /** The last moment of the month before this one. */
  const thenMs = monthStart(Date.now()) - 1;
  const table = partitionName('charges', thenMs);
  /** Longer ago than a month may be. */
  const maxAgeMs = 40 * DAY_MS;

  async function settleThen(): Promise<SettleOutcome[]> {
    const requestId = `${idFloor(thenMs).slice(0, 13)}-7000-8000-${newId().slice(24)}`;
    const charge = buildCharge({ ...(await leased()), requestId, startedAtMs: BigInt(thenMs) }, 100n);
    const retry = { attempts: 2, firstDelayMs: 1 };
    const plan = await settleIsolating(ledger.pool, [settlementRecord(charge)], { maxAgeMs, logger: silent, retry });
    return plan.outcomes;
  }

  it('gets one with its first charge, and an error in the log', async () => {
    const alarm = vi.spyOn(silent, 'error').mockReturnValue();
    await ledger.pool.query(`DROP TABLE IF EXISTS ledger.${table}`);
    expect(await settleThen()).toEqual([POSTED]);
    expect(alarm).toHaveBeenCalledWith(expect.anything(), 'a month has no partition, it is created now');
    alarm.mockRestore();
  });

  it('that cannot be created is an outage: the charge is not quarantined', async () => {
    const before = await quarantined();
    await ledger.pool.query(`ALTER TABLE ledger.charges DETACH PARTITION ledger.${table}`);
    await expect(settleThen()).rejects.toMatchObject({ code: '23514' });
    expect(await quarantined()).toBe(before);
    await ledger.pool.query(`
      ALTER TABLE ledger.charges ATTACH PARTITION ledger.${table}
      FOR VALUES FROM ('${idFloor(monthStart(thenMs))}') TO ('${idFloor(monthStart(thenMs, 1))}')`);
    expect(await settleThen()).toEqual([POSTED]);
  });
});
