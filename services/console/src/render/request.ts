import { isItemBucket } from '@tollgate/common/billing/buckets';
import { chargeStatusName } from '@tollgate/common/billing/charge';
import { failureLabel, outcomeLabel, renderAttempts, renderFailure } from '@tollgate/common/billing/failure';
import { parsePriceVersion } from '@tollgate/common/billing/price-version';
import { dashTraceId } from '@tollgate/common/ids';
import { formatDollars, formatPercent } from '@tollgate/common/money';
import type { Charge, Refusal } from '@tollgate/proto/ledger';
import { renderRefusalReason } from './refusal-reason.ts';
import { renderTime, textOrNull } from './time.ts';

/** A request as the ledger knows it: charged, or refused before it could cost anything. */
export type LedgerRequest = { kind: 'charge'; charge: Charge } | { kind: 'refusal'; refusal: Refusal };

/** Tokens of all buckets together. */
export function sumTokens(quantities: readonly { bucket: string; quantity: bigint }[]): number {
  let tokens = 0n;
  for (const { bucket, quantity } of quantities) if (!isItemBucket(bucket)) tokens += quantity;
  return Number(tokens);
}

/** A request as a row of a list. */
export function renderRequestRow(request: LedgerRequest) {
  return request.kind === 'charge' ? renderChargeRow(request.charge) : renderRefusalRow(request.refusal);
}

/** A request as a bill. */
export function renderRequest(request: LedgerRequest) {
  return request.kind === 'charge' ? renderCharge(request.charge) : renderRefusal(request.refusal);
}

function renderChargeRow(charge: Charge) {
  const cause = renderFailure(charge)?.cause ?? null;
  return {
    request_id: charge.requestId,
    trace_id: traceIdOf(charge.traceId),
    status: chargeStatusName(charge.status) ?? ('failed' as const),
    started_at: renderTime(charge.startedAtMs),
    model: charge.model,
    key_id: charge.keyId,
    key_name: charge.keyName,
    deployment: textOrNull(charge.deployment),
    streamed: charge.streamed,
    tokens: sumTokens(charge.lines),
    cost: formatDollars(charge.chargedNanos),
    duration_ms: charge.durationMs,
    first_token_ms: charge.firstTokenMs < 0 ? null : charge.firstTokenMs,
    session: textOrNull(charge.clientSessionId),
    reason: cause,
    reason_label: cause === null ? null : failureLabel(cause),
  };
}

function renderRefusalRow(refusal: Refusal) {
  return {
    request_id: refusal.requestId,
    trace_id: traceIdOf(refusal.traceId),
    status: 'refused' as const,
    started_at: renderTime(refusal.refusedAtMs),
    model: refusal.model,
    key_id: refusal.keyId,
    key_name: refusal.keyName,
    deployment: null,
    streamed: false,
    tokens: 0,
    cost: '0',
    duration_ms: null,
    first_token_ms: null,
    session: textOrNull(refusal.clientSessionId),
    reason: refusal.reason,
    reason_label: renderRefusalReason(refusal.reason).label,
  };
}

function renderCharge(charge: Charge) {
  const { version, aboveInputTokens, options } = parsePriceVersion(charge.priceVersion);
  return {
    ...renderChargeRow(charge),
    protocol_in: charge.protocolIn,
    protocol_out: textOrNull(charge.protocolOut),
    provider: textOrNull(charge.provider),
    finish_reason: textOrNull(charge.finishReason),
    retries: charge.retries,
    usage_estimated: charge.usageEstimated,
    lines: charge.lines.map((line) => ({
      bucket: line.bucket,
      quantity: Number(line.quantity),
      rate_per_million: formatDollars(line.rateNanosPerMillion),
      amount: formatDollars(line.amountNanos),
    })),
    price_version: textOrNull(version),
    price_tier: aboveInputTokens === 0 ? null : { above_input_tokens: aboveInputTokens },
    price_options: options,
    discount_percent: formatPercent(charge.discountPpm),
    hold: formatDollars(charge.holdNanos),
    released: formatDollars(charge.holdNanos - charge.chargedNanos),
    settled_at: renderTime(charge.settledAtMs),
    tags: charge.tags,
    agent_id: textOrNull(charge.agentId),
    parent_agent_id: textOrNull(charge.parentAgentId),
    // The ledger returns it to operators only.
    ...(charge.upstreamCostNanos !== undefined && { upstream_cost: formatDollars(charge.upstreamCostNanos) }),
    failure: failureOf(charge),
    attempts: renderAttempts(charge).map((attempt) => ({ ...attempt, outcome_label: outcomeLabel(attempt.outcome) })),
    refusal: null,
  };
}

/** The cause is the reason of its row. */
function failureOf(charge: Charge) {
  const failure = renderFailure(charge);
  if (failure === null) return null;
  const { cause, sentence, ...rest } = failure;
  return { ...rest, sentence: sentence === '' ? failureLabel(cause) : sentence };
}

function renderRefusal(refusal: Refusal) {
  const { sentence, action } = renderRefusalReason(refusal.reason);
  return {
    ...renderRefusalRow(refusal),
    protocol_in: refusal.protocolIn,
    protocol_out: null,
    provider: null,
    finish_reason: null,
    retries: 0,
    usage_estimated: false,
    lines: [],
    price_version: null,
    price_tier: null,
    price_options: {},
    discount_percent: '0',
    hold: null,
    released: null,
    settled_at: null,
    tags: {},
    agent_id: null,
    parent_agent_id: null,
    failure: null,
    attempts: [],
    refusal: {
      http_status: refusal.httpStatus,
      error_type: refusal.errorType,
      message: refusal.message,
      sentence: sentence === '' ? refusal.message : sentence,
      action,
    },
  };
}

function traceIdOf(traceId: string): string | null {
  return traceId === '' ? null : dashTraceId(traceId);
}
