import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { toTraceContext } from '@tollgate/common/telemetry';
import { ChargeStatus } from '@tollgate/proto/ledger';
import { tokensOf, type Usage } from '@tollgate/protocols/canonical/usage';
import { type PricedUsage, paidNanos, priceUsage, type RequestPrice } from '../shared/catalogue/request-price.ts';
import type { Metrics } from '../shared/metrics.ts';
import { heldNodesOf } from '../shared/request/request-context.ts';
import type { CatalogueGaps, MissingSetting } from './catalogue-gaps.ts';
import type { Attempt, Exchange } from './exchange.ts';
import { isInputBeyond, type MeteredUsage } from './meter.ts';
import { attemptRecords, recordText, reportedUsageText, setResponseAttributes } from './records.ts';
import { toApiError, type UpstreamFailure } from './upstream/failure.ts';

/** What reports a charge to operators. */
export interface ChargeDependencies {
  metrics: Metrics;
  catalogueGaps: CatalogueGaps;
}

/** How a paid call ended. */
export interface CallOutcome {
  status: ChargeStatus;
  /** As reported by the upstream. */
  finishReason: string;
  /** Milliseconds from accepting the request to the first byte sent to the client; -1 when there was none. */
  firstTokenMs: number;
  /** Undefined when there was no output, so that nothing is charged. */
  metered: MeteredUsage | undefined;
  /** Why the attempt failed; undefined if it did not. */
  failure: UpstreamFailure | undefined;
}

/** What the customer pays for a usage: its price, at most the hold. */
export function chargedNanos(exchange: Exchange, attempt: Pick<Attempt, 'sent'> | undefined, usage: Usage): bigint {
  return paidNanos(priceUsage(exchange.price, usage, exchange.images, attempt?.sent).costNanos, exchange.hold.nanos);
}

/** Charges a call by capturing its hold; once this resolves, the last byte of the response may be sent. */
export async function chargeExchange(
  { metrics, catalogueGaps }: ChargeDependencies,
  exchange: Exchange,
  attempt: Attempt,
  outcome: CallOutcome,
): Promise<void> {
  const { context, key, entry, client } = exchange;
  const { failure } = outcome;
  const error = failure === undefined || client.isClosed ? undefined : toApiError(failure);
  setResponseAttributes(attempt, outcome.metered, outcome.finishReason);
  const recorded = context.admission?.recordUsage(outcome.metered === undefined ? 0 : tokensOf(outcome.metered.usage));
  const { lines, costNanos, baseCostNanos, version, unpriced } = outcome.metered?.priced ?? noCost(exchange.price);
  metrics.charge(entry.model.modelId, lines, costNanos);
  const implausible = outcome.metered?.implausible;
  if (implausible !== undefined) metrics.implausibleUsage(attempt.route.deployment.deploymentId);
  for (const name of unpriced) metrics.unpricedOption(attempt.route.deployment.deploymentId, name);
  const missing = outcome.metered && missingSetting(exchange, outcome.metered);
  if (missing !== undefined) {
    catalogueGaps.report(missing, {
      requestId: context.requestId,
      traceId: context.traceId,
      model: entry.model.modelId,
      provider: attempt.route.provider.providerId,
      deployment: attempt.route.deployment.deploymentId,
      searches: outcome.metered?.usage.search ?? 0,
    });
  }
  context.isCharged = true;
  await exchange.hold.capture({
    requestId: context.requestId,
    accountId: key.accountId,
    keyId: key.keyId,
    keyName: key.keyName,
    traceId: context.traceId,
    model: entry.model.modelId,
    provider: attempt.route.provider.providerId,
    deployment: attempt.route.deployment.deploymentId,
    protocolIn: exchange.protocolIn,
    protocolOut: attempt.route.protocol,
    streamed: exchange.streamed,
    status: outcome.status,
    finishReason: recordText(outcome.finishReason, attempt.redact),
    startedAtMs: BigInt(context.startedAtMs),
    firstTokenMs: outcome.firstTokenMs,
    durationMs: Math.round(performance.now() - context.startedAt),
    retries: attempt.earlier.length,
    usageEstimated: outcome.metered?.estimated ?? false,
    lines,
    priceVersion: version,
    costNanos,
    trace: toTraceContext(context.span.spanContext()),
    discountPpm: exchange.price.discountPpm,
    tags: key.tags,
    nodes: heldNodesOf(key),
    ...context.clientIds,
    reportedUsage: implausible === undefined ? '' : reportedUsageText(implausible, attempt.redact),
    upstreamCostNanos: upstreamCostOf(outcome.metered),
    baseCostNanos,
    httpStatus: error?.status ?? 0,
    errorType: error?.type ?? '',
    attempts: attemptRecords(exchange, attempt, failure),
  });
  await recorded;
}

/** The setting of the model without which the operator pays for what the provider did. */
function missingSetting(exchange: Exchange, { usage, implausible }: MeteredUsage): MissingSetting | undefined {
  const { price, entry, maxSearches } = exchange;
  if (usage.search > 0 && !price.sheet.webTools.search) return 'price.search';
  if ((entry.model.webTools?.maxOwnSearches ?? 0) > 0) return undefined;
  const isUnasked = usage.search > 0 && maxSearches === 0;
  return isUnasked || isInputBeyond(implausible, exchange) ? 'web_tools.max_own_searches' : undefined;
}

/** What the upstream charges, unless the ledger would reject it as a cost. */
function upstreamCostOf(metered: MeteredUsage | undefined): bigint | undefined {
  const nanos = metered?.details?.upstreamCostNanos;
  return nanos !== undefined && nanos >= 0n && nanos <= MAX_CHARGE_NANOS ? nanos : undefined;
}

function noCost({ sheet }: RequestPrice): PricedUsage {
  return { lines: [], costNanos: 0n, baseCostNanos: undefined, version: sheet.version, unpriced: [] };
}

/** An attempt that brought no response. */
export interface FailedAttempt {
  attempt: Attempt;
  failure: UpstreamFailure;
}

/** Records a call that failed before any output, at no cost. */
export function recordFailure(
  deps: ChargeDependencies,
  exchange: Exchange,
  { attempt, failure }: FailedAttempt,
): Promise<void> {
  return chargeExchange(deps, exchange, attempt, {
    status: exchange.client.isClosed ? ChargeStatus.CANCELLED : ChargeStatus.FAILED,
    finishReason: '',
    firstTokenMs: -1,
    metered: undefined,
    failure,
  });
}
