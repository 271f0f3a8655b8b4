import { toTraceContext } from '@tollgate/common/telemetry';
import { ChargeStatus } from '@tollgate/proto/ledger';
import { tokensOf, type Usage } from '@tollgate/protocols/usage';
import type { Metrics } from '../metrics/metrics.ts';
import { protocolName } from '../model-routing/route-table.ts';
import { type PricedUsage, paidNanos, priceUsage } from '../pricing/request-price.ts';
import type { Attempt, Exchange } from './exchange.ts';
import type { Metered } from './metered.ts';
import { recordText } from './record-text.ts';
import { reportedUsageText } from './reported-usage.ts';

/** How a paid call ended. */
export interface Ending {
  status: ChargeStatus;
  /** As the upstream said it. */
  finishReason: string;
  /** Milliseconds from the request accepted to the first byte towards the client; -1 when there was none. */
  firstTokenMs: number;
  /** Undefined when nothing came out, so that nothing is charged. */
  metered: Metered | undefined;
}

/** What the customer pays for a usage: its price, and never more than was held. */
export function chargedNanos(exchange: Exchange, usage: Usage): bigint {
  return paidNanos(priceUsage(exchange.price, usage, exchange.images).costNanos, exchange.hold.nanos);
}

/** Writes the charge of a call to the journal; once this has resolved, the last byte of the answer may go out. */
export async function charge(metrics: Metrics, exchange: Exchange, attempt: Attempt, ending: Ending): Promise<void> {
  const { context, key, entry } = exchange;
  context.admission?.settle(ending.metered === undefined ? 0 : tokensOf(ending.metered.usage));
  const { lines, costNanos, version } = priceOf(exchange, ending.metered);
  metrics.charge(entry.model.modelId, lines, costNanos);
  const disbelieved = ending.metered?.disbelieved;
  if (disbelieved !== undefined) metrics.disbelievedUsage(attempt.route.deployment.deploymentId);
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
    protocolOut: protocolName(attempt.route.provider.protocol),
    streamed: exchange.streamed,
    status: ending.status,
    finishReason: recordText(ending.finishReason, attempt.redact),
    startedAtMs: BigInt(context.startedAtMs),
    firstTokenMs: ending.firstTokenMs,
    durationMs: Math.round(performance.now() - context.startedAt),
    retries: attempt.retries,
    usageEstimated: ending.metered?.estimated ?? false,
    lines,
    priceVersion: version,
    costNanos,
    trace: toTraceContext(context.span.spanContext()),
    discountPpm: exchange.price.discountPpm,
    tags: key.tags,
    reportedUsage: disbelieved === undefined ? '' : reportedUsageText(disbelieved, attempt.redact),
  });
}

function priceOf({ price, images }: Exchange, metered: Metered | undefined): PricedUsage {
  if (metered === undefined) return { lines: [], costNanos: 0n, version: price.sheet.version };
  return priceUsage(price, metered.usage, images);
}

/** The charge of a call that failed before any output: a record, at no cost. */
export function chargeNothing(metrics: Metrics, exchange: Exchange, attempt: Attempt): Promise<void> {
  return charge(metrics, exchange, attempt, {
    status: exchange.client.hasLeft ? ChargeStatus.CANCELLED : ChargeStatus.FAILED,
    finishReason: '',
    firstTokenMs: -1,
    metered: undefined,
  });
}
