import { randomBytes } from 'node:crypto';
import { runPipeline } from '@tollgate/common/postgres/pipeline';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { Charge } from '@tollgate/proto/ledger';

/**
 * Stores the same rows plainly: a table with the columns, types, checks and primary key of ledger.charges, without
 * partitions or other indexes, and one transaction per batch. Statements are built before the clock starts.
 */
const SCHEMA = 'tollgate_bench';
const TABLE = `${SCHEMA}.charges`;
const HASH_BYTES = 16;

const COLUMNS: readonly [name: string, type: string, value: (charge: Charge) => string | number | bigint | boolean][] =
  [
    ['account_id', 'uuid', (charge) => charge.accountId],
    ['request_id', 'uuid', (charge) => charge.requestId],
    ['session_id', 'uuid', (charge) => charge.sessionId],
    ['key_id', 'uuid', (charge) => charge.keyId],
    ['trace_id', 'uuid', (charge) => charge.traceId],
    ['started_at_ms', 'bigint', (charge) => charge.startedAtMs],
    ['settled_at_ms', 'bigint', (charge) => charge.startedAtMs],
    ['hold_nanos', 'bigint', (charge) => charge.holdNanos],
    ['cost_nanos', 'bigint', (charge) => charge.costNanos],
    ['charged_nanos', 'bigint', (charge) => charge.costNanos],
    ['first_token_ms', 'int', (charge) => charge.firstTokenMs],
    ['duration_ms', 'int', (charge) => charge.durationMs],
    ['retries', 'int', (charge) => charge.retries],
    ['status', 'ledger.charge_status', () => 'completed'],
    ['streamed', 'boolean', (charge) => charge.streamed],
    ['usage_estimated', 'boolean', (charge) => charge.usageEstimated],
    ['key_name', 'text', (charge) => charge.keyName],
    ['model', 'text', (charge) => charge.model],
    ['provider', 'text', (charge) => charge.provider],
    ['deployment', 'text', (charge) => charge.deployment],
    ['protocol_in', 'text', (charge) => charge.protocolIn],
    ['protocol_out', 'text', (charge) => charge.protocolOut],
    ['finish_reason', 'text', (charge) => charge.finishReason],
    ['price_version', 'text', (charge) => charge.priceVersion],
    ['lines', 'jsonb', (charge) => linesText(charge)],
    ['content_hash', 'bytea', () => `\\x${randomBytes(HASH_BYTES).toString('hex')}`],
  ];
const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');

/** Two forms of a bulk insert. */
export type PlainForm = 'copy' | 'insert';

/** Sends one batch and waits for its commit. */
export type PlainBatch = (client: PoolClient) => Promise<void>;

export interface PlainRun {
  elapsedMs: number;
  /** Milliseconds from sending a batch to its commit. */
  latenciesMs: number[];
}

/** Recreates the table. */
export async function createPlainTable(pool: Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
    await client.query(`CREATE SCHEMA ${SCHEMA}`);
    await client.query(
      `CREATE TABLE ${TABLE} (LIKE ledger.charges INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (account_id, request_id))`,
    );
  });
}

export async function dropPlainTable(pool: Pool): Promise<void> {
  await pool.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
}

/** Creates the batches of a form: `COPY`, or one `INSERT` with an array per column. */
export function plainBatches(form: PlainForm, charges: readonly Charge[], rows: number): PlainBatch[] {
  const batches: PlainBatch[] = [];
  for (let from = 0; from < charges.length; from += rows) {
    const some = charges.slice(from, from + rows);
    batches.push(form === 'copy' ? copyOf(some) : insertOf(some));
  }
  return batches;
}

function copyOf(charges: readonly Charge[]): PlainBatch {
  const lines = charges.map((charge) => COLUMNS.map(([, , value]) => copyText(String(value(charge)))).join('\t'));
  const rows = Buffer.from(`${lines.join('\n')}\n`);
  const text = `COPY ${TABLE} (${NAMES}) FROM STDIN`;
  return async (client) => {
    await runPipeline(client, [{ name: 'copy-plain', text, values: [], copied: rows, read: () => undefined }]);
  };
}

function insertOf(charges: readonly Charge[]): PlainBatch {
  const values = COLUMNS.map(([, type, value]) => arrayText(type, charges.map(value)));
  return async (client) => {
    await client.query({
      name: 'plain-insert',
      text: `INSERT INTO ${TABLE} (${NAMES}) SELECT * FROM unnest(${ARRAYS})`,
      values,
    });
  };
}

/** Runs all batches, `lanes` at a time. */
export async function runPlain(pool: Pool, batches: readonly PlainBatch[], lanes: number): Promise<PlainRun> {
  const clients = await Promise.all(Array.from({ length: lanes }, () => pool.connect()));
  const latenciesMs: number[] = [];
  try {
    const startedAt = performance.now();
    const left = batches.values();
    await Promise.all(
      clients.map(async (client) => {
        for (const batch of left) {
          const sentAt = performance.now();
          await batch(client);
          latenciesMs.push(performance.now() - sentAt);
        }
      }),
    );
    return { elapsedMs: performance.now() - startedAt, latenciesMs };
  } finally {
    for (const client of clients) client.release();
  }
}

function copyText(text: string): string {
  return text.replaceAll('\\', '\\\\');
}

function arrayText(type: string, values: readonly (string | number | bigint | boolean)[]): string {
  if (type !== 'jsonb' && type !== 'bytea' && type !== 'text') return `{${values.join(',')}}`;
  return `{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

function linesText({ lines }: Charge): string {
  return JSON.stringify(
    lines.map((line) => [
      line.bucket,
      line.quantity.toString(),
      line.rateNanosPerMillion.toString(),
      line.amountNanos.toString(),
    ]),
  );
}
