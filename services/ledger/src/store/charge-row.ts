import type { Charge, ChargeLine } from '@tollgate/proto/ledger';
import { type ChargeStatusLabel, chargeStatusOf } from './charge-status.ts';

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
  status: ChargeStatusLabel;
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
  /** Null: the report was believed, or there was none. */
  reported_usage: string | null;
  lines: [bucket: string, quantity: string, rate: string, amount: string][];
}

export const CHARGE_COLUMNS = `account_id, request_id, session_id, key_id, trace_id, started_at_ms, settled_at_ms,
  hold_nanos, cost_nanos, charged_nanos, first_token_ms, duration_ms, retries, status, streamed, usage_estimated,
  key_name, model, provider, deployment, protocol_in, protocol_out, finish_reason, price_version, discount_ppm, tags,
  reported_usage, lines`;

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
  };
}

function lineOf([bucket, quantity, rate, amount]: ChargeRow['lines'][number]): ChargeLine {
  return {
    bucket,
    quantity: BigInt(quantity),
    rateNanosPerMillion: BigInt(rate),
    amountNanos: BigInt(amount),
  };
}
