import { createLogger } from '@tollgate/common/logging';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { CpuMeter } from '../measure/cpu-meter.ts';
import type { Metered } from '../measure/routes.ts';
import { quantile } from '../stats/quantile.ts';
import { makeCharges } from './charges.ts';
import { createOwners, type Owner } from './owners.ts';
import { createPlainTable, dropPlainTable, type PlainForm, plainBatches, runPlain } from './plain-insert.ts';
import { encodeBatches, settleAll } from './settle-load.ts';

/** The load on the ledger. */
export const LEDGER_ACCOUNTS = 200;
/** Streams of batches, each with its own session, as from that many ingresses. */
export const LEDGER_SESSIONS = 8;
/** Of accounts with credit of several kinds and ends. */
const LOTS = 10;
/** On the paths of requests with caps at every level, the key included. */
const NODES = 6;
/** Concurrent connections of the plain insert, as many as the ledger has transactions in progress. */
const PLAIN_LANES = 2;
/** Settled before measuring, so that the ledger's code is compiled and its statements are planned. */
const WARM_UP_CHARGES = 40_000;

const logger = createLogger('bench', 'fatal');

export interface LedgerOptions {
  /** The ledger's gRPC address, and its database. */
  address: string;
  /** The gRPC address of auth, which issues actor tokens. */
  auth: string;
  databaseUrl: string;
  /** The ledger, its database and this process, to show where the time goes. */
  processes: readonly Metered[];
  rounds: number;
  /** Charges per round. */
  charges: number;
}

/** Settings of Postgres that make a commit durable. */
export interface Durability {
  fsync: string;
  synchronous_commit: string;
  full_page_writes: string;
}

/** One way to store the charges, in one round. */
export interface StoreRound {
  perSecond: number;
  /** Rows of a transaction, on average. */
  rowsPerCommit: number;
  commitMsP50: number;
  commitMsP99: number;
  /** CPU microseconds per charge, by process. */
  cpuPerCharge: Record<string, number>;
}

export interface LedgerRound {
  ledger: StoreRound;
  /** The ledger, for accounts with ten lots of credit. */
  lots: StoreRound;
  /** The ledger, for requests that pass six nodes with two caps each. */
  paths: StoreRound;
  plain: Record<PlainForm, StoreRound>;
}

export interface LedgerMeasurements {
  durability: Durability;
  accounts: number;
  sessions: number;
  charges: number;
  rounds: LedgerRound[];
}

/**
 * Settles charges through the ledger, and inserts as many plainly into the same database, alternating in rounds. The
 * plain batches have the size of the ledger's transactions.
 *
 * @throws Error if a commit of this database is not durable
 */
export async function measureLedger(options: LedgerOptions): Promise<LedgerMeasurements> {
  const pool = createPool({ url: options.databaseUrl, size: PLAIN_LANES, applicationName: 'tollgate-bench' }, logger);
  try {
    const durability = await readDurability(pool);
    const services = { auth: options.auth, ledger: options.address };
    const size = { accounts: LEDGER_ACCOUNTS, sessions: LEDGER_SESSIONS };
    const owners = await createOwners(services, { ...size, lots: 1, nodes: 0 });
    const withLots = await createOwners(services, { ...size, lots: LOTS, nodes: 0 });
    const withPaths = await createOwners(services, { ...size, lots: 1, nodes: NODES });
    await settleRound(pool, options, owners, WARM_UP_CHARGES);
    const rounds: LedgerRound[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const ledger = await settleRound(pool, options, owners, options.charges);
      const lots = await settleRound(pool, options, withLots, options.charges);
      const paths = await settleRound(pool, options, withPaths, options.charges);
      const rows = Math.round(ledger.rowsPerCommit);
      const insert = await plainRound(pool, options, owners, 'insert', rows);
      const copy = await plainRound(pool, options, owners, 'copy', rows);
      rounds.push({ ledger, lots, paths, plain: { insert, copy } });
    }
    return { durability, accounts: LEDGER_ACCOUNTS, sessions: LEDGER_SESSIONS, charges: options.charges, rounds };
  } finally {
    await dropPlainTable(pool).catch(() => undefined);
    await pool.end();
  }
}

/** Charges that the ledger settles per second, by round. */
export async function measureSettling(options: LedgerOptions): Promise<number[]> {
  const pool = createPool({ url: options.databaseUrl, size: 1, applicationName: 'tollgate-bench' }, logger);
  try {
    const services = { auth: options.auth, ledger: options.address };
    const size = { accounts: LEDGER_ACCOUNTS, sessions: LEDGER_SESSIONS };
    const owners = await createOwners(services, { ...size, lots: 1, nodes: 0 });
    await settleRound(pool, options, owners, WARM_UP_CHARGES);
    const rates: number[] = [];
    for (let round = 0; round < options.rounds; round += 1)
      rates.push((await settleRound(pool, options, owners, options.charges)).perSecond);
    return rates;
  } finally {
    await pool.end();
  }
}

async function settleRound(pool: Pool, options: LedgerOptions, owners: Owner[][], count: number): Promise<StoreRound> {
  const loads = owners.map((own) => encodeBatches(makeCharges(own, Math.ceil(count / owners.length))));
  const startedAtMs = Date.now();
  const meter = new CpuMeter(options.processes);
  const { elapsedMs, latenciesMs } = await settleAll(options.address, loads);
  const cpu = meter.taken();
  const commits = await commitsSince(pool, startedAtMs);
  const rows = loads.reduce((sum, load) => sum + load.rows, 0);
  return storeRound(rows, commits, elapsedMs, latenciesMs, cpu);
}

async function plainRound(
  pool: Pool,
  options: LedgerOptions,
  owners: Owner[][],
  form: PlainForm,
  rows: number,
): Promise<StoreRound> {
  await createPlainTable(pool);
  const charges = owners.flatMap((own) => makeCharges(own, Math.ceil(options.charges / owners.length)));
  const batches = plainBatches(form, charges, rows);
  const meter = new CpuMeter(options.processes);
  const { elapsedMs, latenciesMs } = await runPlain(pool, batches, PLAIN_LANES);
  return storeRound(charges.length, batches.length, elapsedMs, latenciesMs, meter.taken());
}

function storeRound(
  rows: number,
  commits: number,
  elapsedMs: number,
  latenciesMs: number[],
  cpu: Record<string, number>,
): StoreRound {
  return {
    perSecond: (rows / elapsedMs) * 1_000,
    rowsPerCommit: rows / commits,
    commitMsP50: quantile(latenciesMs, 0.5),
    commitMsP99: quantile(latenciesMs, 0.99),
    cpuPerCharge: Object.fromEntries(Object.entries(cpu).map(([name, value]) => [name, value / rows])),
  };
}

/** Transactions that committed charges since a time, counted by the transaction that wrote each row. */
async function commitsSince(pool: Pool, sinceMs: number): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    'SELECT count(DISTINCT xmin::text) AS count FROM ledger.charges WHERE settled_at_ms >= $1',
    [sinceMs],
  );
  return Number(rows[0]?.count ?? 0n);
}

async function readDurability(pool: Pool): Promise<Durability> {
  const { rows } = await pool.query<Durability>(
    `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('full_page_writes') AS full_page_writes`,
  );
  const [durability] = rows;
  if (durability === undefined) throw new Error('the database returned no settings');
  if (durability.fsync !== 'on' || durability.synchronous_commit !== 'on') {
    throw new Error(`commits of this database are not durable: ${JSON.stringify(durability)}`);
  }
  return durability;
}
