import { type ChargeStatusName, chargeStatusOf } from '@tollgate/common/billing/charge';
import { BinaryWriter } from '@tollgate/common/postgres/binary-writer';
import { BINARY_COPY_HEADER, BINARY_COPY_TRAILER } from '@tollgate/common/postgres/copy-in';
import type { Statement } from '@tollgate/common/postgres/pipeline';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Attempt, Charge, ChargeLine } from '@tollgate/proto/ledger';
import { PairMap } from './batch.ts';
import { countedNodes } from './ceilings.ts';
import { accountIdsOf, CHARGE_COLUMNS_SENT, requestIdsOf } from './charge-bytes.ts';

/** A well-formed charge as it is stored. */
export interface ChargeRecord {
  /** With ids in lower case. */
  charge: Charge;
  /** The values of its columns, see chargeBytes. */
  bytes: Uint8Array;
  /** Its tags as JSON; undefined when it has none. */
  tags: string | undefined;
  /** Distinguishes a repeated record from another one under the same id. Hex digits. */
  contentHash: string;
}

/** A charge to record. */
export interface NewCharge {
  record: ChargeRecord;
  /** What the customer pays, nano-dollars. */
  chargedNanos: bigint;
}

/** A row of ledger.charges. */
export interface ChargeRow {
  account_id: string;
  request_id: string;
  session_id: string;
  key_id: string;
  trace_id: string;
  started_at_ms: bigint;
  settled_at_ms: bigint;
  hold_nanos: bigint;
  cost_nanos: bigint;
  charged_nanos: bigint;
  first_token_ms: number;
  duration_ms: number;
  retries: number;
  status: ChargeStatusName;
  streamed: boolean;
  usage_estimated: boolean;
  key_name: string;
  model: string;
  provider: string;
  deployment: string;
  protocol_in: string;
  protocol_out: string;
  finish_reason: string;
  price_version: string;
  discount_ppm: number;
  /** Null: none. */
  tags: Record<string, string> | null;
  /** Null: the report was accepted, or there was none. */
  reported_usage: string | null;
  /** Null: not sent by the client. */
  client_session_id: string | null;
  agent_id: string | null;
  parent_agent_id: string | null;
  /** Null: the provider reported none. */
  upstream_cost_nanos: bigint | null;
  /** Null: the client got no error. */
  http_status: number | null;
  error_type: string | null;
  /** Null: the first one succeeded. */
  attempts: AttemptRow[] | null;
  /** Null: the account paid list prices. */
  base_cost_nanos: bigint | null;
  /** Null: none above the key. */
  node_ids: string[] | null;
  lines: [bucket: string, quantity: string, rate: string, amount: string, listRate?: string][];
}

type AttemptRow = [deployment: string, startedMs: number, durationMs: number, cause: string, providerStatus: number];

export const CHARGE_COLUMNS = `account_id, request_id, session_id, key_id, trace_id, started_at_ms, settled_at_ms,
  hold_nanos, cost_nanos, charged_nanos, first_token_ms, duration_ms, retries, status, streamed, usage_estimated,
  key_name, model, provider, deployment, protocol_in, protocol_out, finish_reason, price_version, discount_ppm, tags,
  reported_usage, client_session_id, agent_id, parent_agent_id, upstream_cost_nanos, http_status, error_type,
  attempts, base_cost_nanos, node_ids::text[], lines`;

export function chargeFromRow(row: ChargeRow): Charge {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    sessionId: row.session_id,
    keyId: row.key_id,
    keyName: row.key_name,
    traceId: row.trace_id.replaceAll('-', ''),
    model: row.model,
    provider: row.provider,
    deployment: row.deployment,
    protocolIn: row.protocol_in,
    protocolOut: row.protocol_out,
    streamed: row.streamed,
    status: chargeStatusOf(row.status),
    finishReason: row.finish_reason,
    startedAtMs: row.started_at_ms,
    firstTokenMs: row.first_token_ms,
    durationMs: row.duration_ms,
    retries: row.retries,
    usageEstimated: row.usage_estimated,
    lines: row.lines.map(lineOf),
    priceVersion: row.price_version,
    holdNanos: row.hold_nanos,
    costNanos: row.cost_nanos,
    chargedNanos: row.charged_nanos,
    settledAtMs: row.settled_at_ms,
    trace: undefined,
    discountPpm: row.discount_ppm,
    caps: [],
    tags: row.tags ?? {},
    reportedUsage: row.reported_usage ?? '',
    clientSessionId: row.client_session_id ?? '',
    agentId: row.agent_id ?? '',
    parentAgentId: row.parent_agent_id ?? '',
    upstreamCostNanos: row.upstream_cost_nanos ?? undefined,
    httpStatus: row.http_status ?? 0,
    errorType: row.error_type ?? '',
    attempts: (row.attempts ?? []).map(attemptOf),
    baseCostNanos: row.base_cost_nanos ?? undefined,
    nodes: (row.node_ids ?? []).map((nodeId) => ({ nodeId, caps: [], name: '', scope: '' })),
  };
}

function lineOf([bucket, quantity, rate, amount, listRate]: ChargeRow['lines'][number]): ChargeLine {
  return {
    bucket,
    quantity: BigInt(quantity),
    rateNanosPerMillion: BigInt(rate),
    amountNanos: BigInt(amount),
    listRateNanosPerMillion: listRate === undefined ? undefined : BigInt(listRate),
  };
}

function attemptOf([deployment, startedMs, durationMs, cause, providerStatus]: AttemptRow): Attempt {
  return { deployment, startedMs, durationMs, cause, providerStatus };
}

function attemptsText(attempts: readonly Attempt[]): string {
  return JSON.stringify(
    attempts.map(
      ({ deployment, startedMs, durationMs, cause, providerStatus }): AttemptRow => [
        deployment,
        startedMs,
        durationMs,
        cause,
        providerStatus,
      ],
    ),
  );
}

/** What identifies a charge. Trace ids are 32 hex digits. */
export type ChargeName = { by: 'request_id' | 'trace_id'; id: string };

/** One charge of an account; the latest if several have the trace id. */
export async function findCharge(db: Queryable, accountId: string, name: ChargeName): Promise<Charge | undefined> {
  const { rows } = await db.query<ChargeRow>({
    name: `find-charge-by-${name.by}`,
    text: `
      SELECT ${CHARGE_COLUMNS} FROM ledger.charges WHERE account_id = $1 AND ${name.by} = $2
      ORDER BY request_id DESC LIMIT 1`,
    values: [accountId, name.id],
  });
  const row = rows[0];
  return row && chargeFromRow(row);
}

/**
 * The content hashes of the charges that are already posted, by account and request. The accounts' balances must be locked,
 * so that no other settlement posts one in the meantime.
 */
export function readPosted(records: readonly ChargeRecord[]): Statement<PairMap<string>> {
  const [first, last] = idBounds(records);
  const charges = records.map((record) => record.bytes);
  return {
    name: 'read-posted',
    // The smallest and largest id limit the search to their partitions, usually one. The order, and the comparison of rows,
    // bind it to the primary key: with equal columns the planner also takes other indexes, or all rows of a partition that is
    // not analyzed yet.
    text: `
      SELECT c.account_id, c.request_id, encode(c.content_hash, 'hex')
      FROM unnest($1::uuid[], $2::uuid[]) AS w (account_id, request_id)
      CROSS JOIN LATERAL (
        SELECT account_id, request_id, content_hash FROM ledger.charges
        WHERE (account_id, request_id) BETWEEN (w.account_id, w.request_id) AND (w.account_id, w.request_id)
          AND request_id BETWEEN $3 AND $4
        ORDER BY account_id, request_id LIMIT 1
      ) AS c`,
    values: [accountIdsOf(charges), requestIdsOf(charges), first, last],
    read: (rows) => {
      const posted = new PairMap<string>();
      for (const [accountId, requestId, contentHash] of rows)
        posted.set(accountId ?? '', requestId ?? '', contentHash ?? '');
      return posted;
    },
  };
}

/** Lower-case UUID text sorts as the UUIDs do. */
function idBounds(records: readonly ChargeRecord[]): [string | null, string | null] {
  let first: string | null = null;
  let last: string | null = null;
  for (const { charge } of records) {
    const id = charge.requestId;
    if (first === null || id < first) first = id;
    if (last === null || id > last) last = id;
  }
  return [first, last];
}

const INSERTED_COLUMNS = [
  ...CHARGE_COLUMNS_SENT,
  'tags',
  'reported_usage',
  'client_session_id',
  'agent_id',
  'parent_agent_id',
  'upstream_cost_nanos',
  'http_status',
  'error_type',
  'attempts',
  'base_cost_nanos',
  'node_ids',
  'content_hash',
  'charged_nanos',
  'settled_at_ms',
];
const COPY_CHARGES = `COPY ledger.charges (${INSERTED_COLUMNS.join(', ')}) FROM STDIN (FORMAT binary)`;

/** Enough for a batch of the usual size; the writer grows. */
const INITIAL_BYTES = 512 * 1_024;
const writer = new BinaryWriter(INITIAL_BYTES);

/** Records the charges of a batch, which must not exist yet. */
export function insertCharges(postings: readonly NewCharge[], nowMs: bigint): Statement<void> {
  writer.raw(BINARY_COPY_HEADER);
  for (const { record, chargedNanos } of postings) {
    writer.int16(INSERTED_COLUMNS.length);
    writer.raw(record.bytes);
    if (record.tags === undefined) writer.null();
    else writer.jsonb(record.tags);
    writeOptional(record.charge.reportedUsage);
    writeOptional(record.charge.clientSessionId);
    writeOptional(record.charge.agentId);
    writeOptional(record.charge.parentAgentId);
    writeAmount(record.charge.upstreamCostNanos);
    if (record.charge.httpStatus === 0) writer.null();
    else writer.int4(record.charge.httpStatus);
    writeOptional(record.charge.errorType);
    if (record.charge.attempts.length === 0) writer.null();
    else writer.jsonb(attemptsText(record.charge.attempts));
    writeAmount(record.charge.baseCostNanos);
    const nodes = countedNodes(record.charge);
    if (nodes.length === 0) writer.null();
    else writer.uuids(nodes.map(({ nodeId }) => nodeId));
    writer.bytea(record.contentHash);
    writer.int8(chargedNanos);
    writer.int8(nowMs);
  }
  writer.raw(BINARY_COPY_TRAILER);
  return { name: 'copy-charges', text: COPY_CHARGES, values: [], copied: writer.take(), read: () => undefined };
}

function writeAmount(nanos: bigint | undefined): void {
  if (nanos === undefined) writer.null();
  else writer.int8(nanos);
}

function writeOptional(text: string): void {
  if (text === '') writer.null();
  else writer.text(text);
}
