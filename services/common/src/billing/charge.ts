import { type Charge, ChargeStatus } from '@tollgate/proto/ledger';
import { dashTraceId } from '../ids.ts';
import { CURRENCY, formatDollars, formatPercent } from '../money.ts';
import { renderAttempts, renderFailure } from './failure.ts';
import { parsePriceVersion } from './price-version.ts';

export const CHARGE_STATUS_NAMES = ['completed', 'cancelled', 'failed'] as const;
export type ChargeStatusName = (typeof CHARGE_STATUS_NAMES)[number];

/**
 * A request's record as the billing API and the command line show it. Money is decimal text. `cost` is what the account
 * paid, at most what was held for the request.
 */
export function renderBillingCharge(charge: Charge) {
  const { version, aboveInputTokens, options } = parsePriceVersion(charge.priceVersion);
  return {
    request_id: charge.requestId,
    trace_id: charge.traceId === '' ? null : dashTraceId(charge.traceId),
    key_id: charge.keyId,
    key_name: charge.keyName,
    tags: charge.tags,
    session: orNull(charge.clientSessionId),
    agent_id: orNull(charge.agentId),
    parent_agent_id: orNull(charge.parentAgentId),
    model: charge.model,
    provider: charge.provider,
    deployment: charge.deployment,
    protocol_in: charge.protocolIn,
    protocol_out: charge.protocolOut,
    streamed: charge.streamed,
    status: chargeStatusName(charge.status) ?? 'unknown',
    finish_reason: orNull(charge.finishReason),
    started_at: new Date(Number(charge.startedAtMs)).toISOString(),
    first_token_ms: charge.firstTokenMs < 0 ? null : charge.firstTokenMs,
    duration_ms: charge.durationMs,
    retries: charge.retries,
    failure: renderFailure(charge),
    attempts: renderAttempts(charge),
    usage: quantitiesOf(charge),
    usage_estimated: charge.usageEstimated,
    reported_usage: charge.reportedUsage === '' ? null : JSON.parse(charge.reportedUsage),
    lines: charge.lines.map((line) => ({
      bucket: line.bucket,
      quantity: Number(line.quantity),
      rate_per_million: formatDollars(line.rateNanosPerMillion),
      amount: formatDollars(line.amountNanos),
    })),
    price_version: version,
    price_tier: aboveInputTokens === 0 ? null : { above_input_tokens: aboveInputTokens },
    price_options: options,
    discount_percent: formatPercent(charge.discountPpm),
    hold: formatDollars(charge.holdNanos),
    cost: formatDollars(charge.chargedNanos),
    currency: CURRENCY,
  };
}

/** By bucket; calls of one request with different rates have a line each. */
function quantitiesOf({ lines }: Charge): Record<string, number> {
  const quantities: Record<string, number> = {};
  for (const { bucket, quantity } of lines) quantities[bucket] = (quantities[bucket] ?? 0) + Number(quantity);
  return quantities;
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

export function chargeStatusOf(name: ChargeStatusName): ChargeStatus {
  switch (name) {
    case 'completed':
      return ChargeStatus.COMPLETED;
    case 'cancelled':
      return ChargeStatus.CANCELLED;
    case 'failed':
      return ChargeStatus.FAILED;
    default:
      return name satisfies never;
  }
}

/** The name of a status; undefined for UNSPECIFIED. */
export function chargeStatusName(status: ChargeStatus): ChargeStatusName | undefined {
  switch (status) {
    case ChargeStatus.COMPLETED:
      return 'completed';
    case ChargeStatus.CANCELLED:
      return 'cancelled';
    case ChargeStatus.FAILED:
      return 'failed';
    case ChargeStatus.UNSPECIFIED:
      return undefined;
    default:
      return status satisfies never;
  }
}
