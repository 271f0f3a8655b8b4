import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { ChargeLine } from '@tollgate/proto/ledger';
import type { Posting } from '../settle/plan-settlement.ts';
import { arrayText } from './array-text.ts';
import { chargeStatusLabel } from './charge-status.ts';

type Plain = string | number | bigint | boolean;

/** Columns of ledger.charges that a posting fills, their SQL types, and where their values come from. */
const PLAIN_COLUMNS: readonly [name: string, type: string, value: (posting: Posting) => Plain][] = [
  ['account_id', 'uuid', ({ record }) => record.charge.accountId],
  ['request_id', 'uuid', ({ record }) => record.charge.requestId],
  ['session_id', 'uuid', ({ record }) => record.charge.sessionId],
  ['key_id', 'uuid', ({ record }) => record.charge.keyId],
  ['trace_id', 'uuid', ({ record }) => record.charge.traceId],
  ['started_at_ms', 'bigint', ({ record }) => record.charge.startedAtMs],
  ['hold_nanos', 'bigint', ({ record }) => record.charge.holdNanos],
  ['cost_nanos', 'bigint', ({ record }) => record.charge.costNanos],
  ['charged_nanos', 'bigint', ({ chargedNanos }) => chargedNanos],
  ['first_token_ms', 'int', ({ record }) => record.charge.firstTokenMs],
  ['duration_ms', 'int', ({ record }) => record.charge.durationMs],
  ['retries', 'int', ({ record }) => record.charge.retries],
  ['status', 'ledger.charge_status', ({ record }) => chargeStatusLabel(record.charge.status) ?? ''],
  ['discount_ppm', 'int', ({ record }) => record.charge.discountPpm],
  ['streamed', 'boolean', ({ record }) => record.charge.streamed],
  ['usage_estimated', 'boolean', ({ record }) => record.charge.usageEstimated],
];

/** Columns whose values may hold anything and are quoted. */
const TEXT_COLUMNS: readonly [name: string, type: string, value: (posting: Posting) => string | Buffer][] = [
  ['key_name', 'text', ({ record }) => record.charge.keyName],
  ['model', 'text', ({ record }) => record.charge.model],
  ['provider', 'text', ({ record }) => record.charge.provider],
  ['deployment', 'text', ({ record }) => record.charge.deployment],
  ['protocol_in', 'text', ({ record }) => record.charge.protocolIn],
  ['protocol_out', 'text', ({ record }) => record.charge.protocolOut],
  ['finish_reason', 'text', ({ record }) => record.charge.finishReason],
  ['price_version', 'text', ({ record }) => record.charge.priceVersion],
  ['lines', 'jsonb', ({ record }) => linesText(record.charge.lines)],
  ['content_hash', 'bytea', ({ record }) => record.contentHash],
];

const COLUMNS = [...PLAIN_COLUMNS, ...TEXT_COLUMNS];
const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ');

const TEXT = `
  INSERT INTO ledger.charges (settled_at_ms, ${NAMES})
  SELECT $1, ${NAMES} FROM unnest(${ARRAYS}) AS posted (${NAMES})`;

/** Records the charges of a batch, which must not be there yet. */
export async function insertCharges(client: PoolClient, postings: readonly Posting[], nowMs: bigint): Promise<void> {
  await client.query({
    name: 'insert-charges',
    text: TEXT,
    values: [
      nowMs,
      ...PLAIN_COLUMNS.map(([, , value]) => arrayText(postings.map(value))),
      ...TEXT_COLUMNS.map(([, , value]) => postings.map(value)),
    ],
  });
}

/** The stored form of charge lines: numbers are text, as JSON readers may round large ones. */
function linesText(lines: readonly ChargeLine[]): string {
  const stored = lines.map((line) => [
    line.bucket,
    line.quantity.toString(),
    line.rateNanosPerMillion.toString(),
    line.amountNanos.toString(),
  ]);
  return JSON.stringify(stored);
}
