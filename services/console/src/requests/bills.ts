import { failureLabel, outcomeLabel, renderAttempts, renderFailure } from '@tollgate/common/billing/failure';
import { parsePriceVersion } from '@tollgate/common/billing/price-version';
import { dashTraceId } from '@tollgate/common/ids';
import { RequestBill, type RequestRow, RequestStatus } from '@tollgate/proto/console/requests';
import { type Charge, ChargeStatus, type Refusal } from '@tollgate/proto/ledger';
import { refusalText } from '../lookups/refusal-text.ts';
import { sumTokens } from '../usage/sums.ts';

/** A request as the ledger knows it: charged, or refused before it could cost anything. */
export type LedgerRequest = { kind: 'charge'; charge: Charge } | { kind: 'refusal'; refusal: Refusal };

const STATUSES: Readonly<Record<ChargeStatus, RequestStatus>> = {
  [ChargeStatus.UNSPECIFIED]: RequestStatus.FAILED,
  [ChargeStatus.COMPLETED]: RequestStatus.COMPLETED,
  [ChargeStatus.CANCELLED]: RequestStatus.CANCELLED,
  [ChargeStatus.FAILED]: RequestStatus.FAILED,
};

/** The names of statuses. */
export const REQUEST_STATUSES: Readonly<Record<RequestStatus, string>> = {
  [RequestStatus.UNSPECIFIED]: '',
  [RequestStatus.COMPLETED]: 'completed',
  [RequestStatus.CANCELLED]: 'cancelled',
  [RequestStatus.FAILED]: 'failed',
  [RequestStatus.REFUSED]: 'refused',
};

/** A request as a row of a list. */
export function rowOf(request: LedgerRequest): RequestRow {
  return request.kind === 'charge' ? chargeRow(request.charge) : refusalRow(request.refusal);
}

/** A request as a bill. */
export function billOf(request: LedgerRequest): RequestBill {
  return request.kind === 'charge' ? chargeBill(request.charge) : refusalBill(request.refusal);
}

function chargeRow(charge: Charge): RequestRow {
  const cause = renderFailure(charge)?.cause ?? '';
  return {
    requestId: charge.requestId,
    traceId: shownTraceId(charge.traceId),
    status: STATUSES[charge.status],
    startedAtMs: charge.startedAtMs,
    model: charge.model,
    keyId: charge.keyId,
    keyName: charge.keyName,
    deployment: charge.deployment,
    streamed: charge.streamed,
    tokens: sumTokens(charge.lines),
    costNanos: charge.chargedNanos,
    durationMs: charge.durationMs,
    firstTokenMs: charge.firstTokenMs < 0 ? undefined : charge.firstTokenMs,
    session: charge.clientSessionId,
    reason: cause,
    reasonLabel: failureLabel(cause),
    // From before charges named it: the project `default`, whose id is the account's.
    projectId: charge.nodes[0]?.nodeId ?? charge.accountId,
  };
}

function refusalRow(refusal: Refusal): RequestRow {
  return {
    requestId: refusal.requestId,
    traceId: shownTraceId(refusal.traceId),
    status: RequestStatus.REFUSED,
    startedAtMs: refusal.refusedAtMs,
    model: refusal.model,
    keyId: refusal.keyId,
    keyName: refusal.keyName,
    deployment: '',
    streamed: false,
    tokens: 0n,
    costNanos: 0n,
    durationMs: undefined,
    firstTokenMs: undefined,
    session: refusal.clientSessionId,
    reason: refusal.reason,
    reasonLabel: refusalText(refusal.reason).label,
    projectId: refusal.nodes[0]?.nodeId ?? '',
  };
}

function chargeBill(charge: Charge): RequestBill {
  const { version, aboveInputTokens, options } = parsePriceVersion(charge.priceVersion);
  return {
    row: chargeRow(charge),
    protocolIn: charge.protocolIn,
    protocolOut: charge.protocolOut,
    provider: charge.provider,
    finishReason: charge.finishReason,
    retries: charge.retries,
    usageEstimated: charge.usageEstimated,
    lines: charge.lines.map((line) => ({
      bucket: line.bucket,
      quantity: line.quantity,
      ratePerMillionNanos: line.rateNanosPerMillion,
      amountNanos: line.amountNanos,
      listRatePerMillionNanos: line.listRateNanosPerMillion,
    })),
    priceVersion: version,
    priceTier: aboveInputTokens === 0 ? undefined : { aboveInputTokens: BigInt(aboveInputTokens) },
    priceOptions: options,
    discountPpm: charge.discountPpm,
    holdNanos: charge.holdNanos,
    releasedNanos: charge.holdNanos - charge.chargedNanos,
    settledAtMs: charge.settledAtMs,
    tags: charge.tags,
    agentId: charge.agentId,
    parentAgentId: charge.parentAgentId,
    // The ledger returns these to operators only.
    upstreamCostNanos: charge.upstreamCostNanos,
    baseCostNanos: charge.baseCostNanos,
    marginNanos: charge.baseCostNanos === undefined ? undefined : charge.chargedNanos - charge.baseCostNanos,
    failure: failureOf(charge),
    attempts: renderAttempts(charge).map((attempt) => ({
      deployment: attempt.deployment,
      startedMs: attempt.started_ms,
      durationMs: attempt.duration_ms,
      outcome: attempt.outcome,
      outcomeLabel: outcomeLabel(attempt.outcome),
      providerStatus: attempt.provider_status ?? 0,
    })),
    refusal: undefined,
  };
}

/** The cause is the reason of its row. */
function failureOf(charge: Charge): RequestBill['failure'] {
  const failure = renderFailure(charge);
  if (failure === null) return undefined;
  const { cause, sentence, action } = failure;
  return {
    httpStatus: charge.httpStatus,
    errorType: charge.errorType,
    providerStatus: failure.provider_status ?? 0,
    sentence: sentence === '' ? failureLabel(cause) : sentence,
    action,
  };
}

function refusalBill(refusal: Refusal): RequestBill {
  const { sentence, action } = refusalText(refusal.reason, refusal.limit);
  const { httpStatus, errorType, message, limit } = refusal;
  return RequestBill.fromPartial({
    row: refusalRow(refusal),
    protocolIn: refusal.protocolIn,
    refusal: { httpStatus, errorType, message, sentence: sentence === '' ? message : sentence, action, limit },
  });
}

function shownTraceId(traceId: string): string {
  return traceId === '' ? '' : dashTraceId(traceId);
}
