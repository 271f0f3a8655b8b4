import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { vi } from 'vitest';
import { ensurePartitions } from '../src/store/partitions.ts';
import { monthStart } from '../src/store/time.ts';
import { createLedger, type LedgerFixture, MAX_AGE_MS, silent } from './ledger-fixture.ts';

/** A function that shadows Postgres's clock. */
const CLOCK = `
  CREATE SCHEMA virtual;
  CREATE TABLE virtual.clock (now_ms bigint NOT NULL);
  INSERT INTO virtual.clock VALUES (0);
  CREATE FUNCTION virtual.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT to_timestamp(now_ms / 1000.0) FROM virtual.clock'`;

/** An empty ledger with a clock that tests set: of its database and, until it is dropped, of this process. */
export interface ClockedLedger {
  pool: Pool;
  /** Sets the clock, and creates the partitions of this time. */
  setTime: (nowMs: number) => Promise<void>;
  drop: () => Promise<void>;
}

/** Gives a ledger, by default a new one, a clock that tests set. */
export async function createClockedLedger(nowMs: number, given?: LedgerFixture): Promise<ClockedLedger> {
  const ledger = given ?? (await createLedger());
  await ledger.pool.query(CLOCK);
  const url = new URL(ledger.url);
  url.searchParams.set('options', '-c search_path=virtual,pg_catalog,public');
  const pool = createPool({ url: url.href, size: 8, applicationName: 'tollgate-ledger-test' }, silent);
  vi.useFakeTimers({ toFake: ['Date'] });
  let month: number | undefined;
  const setTime = async (ms: number) => {
    vi.setSystemTime(ms);
    await pool.query('UPDATE virtual.clock SET now_ms = $1', [ms]);
    if (month === monthStart(ms)) return;
    month = monthStart(ms);
    await ensurePartitions(pool, ms, MAX_AGE_MS, silent);
  };
  await setTime(nowMs);
  return {
    pool,
    setTime,
    drop: async () => {
      vi.useRealTimers();
      await pool.end();
      await ledger.drop();
    },
  };
}
