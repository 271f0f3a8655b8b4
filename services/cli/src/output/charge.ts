import { dashTraceId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import { type Charge, ChargeStatus } from '@tollgate/proto/ledger';
import { type Json, jsonTime } from './json.ts';
import { formatFields, formatTable, formatTime } from './table.ts';

/** The statuses a request ends in. */
export const STATUS_NAMES = {
  [ChargeStatus.COMPLETED]: 'completed',
  [ChargeStatus.CANCELLED]: 'cancelled',
  [ChargeStatus.FAILED]: 'failed',
} as const;

/** One request as a row: id, start, model, key, status, what was paid. */
export function chargeRow(charge: Charge): string[] {
  return [
    charge.requestId,
    formatTime(charge.startedAtMs),
    charge.model,
    charge.keyName,
    statusName(charge.status),
    formatDollars(charge.chargedNanos),
  ];
}

/** One request with its cost lines, for people. */
export function chargeFields(charge: Charge): string {
  const fields = formatFields([
    ['request', charge.requestId],
    ['trace', traceOf(charge) ?? ''],
    ['started', formatTime(charge.startedAtMs)],
    ['model', `${charge.model} at ${charge.provider} (${charge.deployment})`],
    ['key', `${charge.keyName} (${charge.keyId})`],
    ['tags', tagList(charge.tags)],
    ['protocol', `${charge.protocolIn} to ${charge.protocolOut}${charge.streamed ? ', streamed' : ''}`],
    ['status', `${statusName(charge.status)}${charge.finishReason === '' ? '' : ` (${charge.finishReason})`}`],
    ['first token', charge.firstTokenMs < 0 ? 'none' : `${charge.firstTokenMs} ms`],
    ['duration', `${charge.durationMs} ms`],
    ['retries', String(charge.retries)],
    ['usage', usageSource(charge)],
    ['price', charge.priceVersion],
    ['held', `${formatDollars(charge.holdNanos)} USD`],
    ['cost', `${formatDollars(charge.costNanos)} USD`],
    ['paid', `${formatDollars(charge.chargedNanos)} USD`],
  ]);
  const columns = [
    { title: 'BUCKET' },
    { title: 'QUANTITY', align: 'right' as const },
    { title: 'USD PER MILLION', align: 'right' as const },
    { title: 'AMOUNT (USD)', align: 'right' as const },
  ];
  const rows = charge.lines.map((line) => [
    line.bucket,
    line.quantity.toString(),
    formatDollars(line.rateNanosPerMillion),
    formatDollars(line.amountNanos),
  ]);
  return `${fields}\n${formatTable(columns, rows, 'It cost nothing.')}`;
}

/** One request for programs, with the fields of the billing API. */
export function chargeJson(charge: Charge): { [key: string]: Json } {
  return {
    request_id: charge.requestId,
    trace_id: traceOf(charge),
    account_id: charge.accountId,
    key_id: charge.keyId,
    key_name: charge.keyName,
    tags: charge.tags,
    model: charge.model,
    provider: charge.provider,
    deployment: charge.deployment,
    protocol_in: charge.protocolIn,
    protocol_out: charge.protocolOut,
    streamed: charge.streamed,
    status: statusName(charge.status),
    finish_reason: charge.finishReason === '' ? null : charge.finishReason,
    started_at: jsonTime(charge.startedAtMs),
    first_token_ms: charge.firstTokenMs < 0 ? null : charge.firstTokenMs,
    duration_ms: charge.durationMs,
    retries: charge.retries,
    usage_estimated: charge.usageEstimated,
    reported_usage: charge.reportedUsage === '' ? null : JSON.parse(charge.reportedUsage),
    lines: charge.lines.map((line) => ({
      bucket: line.bucket,
      quantity: Number(line.quantity),
      rate_per_million: formatDollars(line.rateNanosPerMillion),
      amount: formatDollars(line.amountNanos),
    })),
    price_version: charge.priceVersion,
    held: formatDollars(charge.holdNanos),
    cost: formatDollars(charge.costNanos),
    paid: formatDollars(charge.chargedNanos),
    currency: 'USD',
    settled_at: jsonTime(charge.settledAtMs),
  };
}

function usageSource({ usageEstimated, reportedUsage }: Charge): string {
  if (!usageEstimated) return 'as reported';
  return reportedUsage === '' ? 'estimated' : `estimated, reported as ${reportedUsage}`;
}

function tagList(tags: Charge['tags']): string {
  const list = Object.entries(tags).map(([name, value]) => `${name}:${value}`);
  return list.length === 0 ? 'none' : list.join(', ');
}

function traceOf(charge: Charge): string | null {
  return charge.traceId === '' ? null : dashTraceId(charge.traceId);
}

function statusName(status: ChargeStatus): string {
  return status === ChargeStatus.UNSPECIFIED ? 'unknown' : (STATUS_NAMES[status] ?? 'unknown');
}
