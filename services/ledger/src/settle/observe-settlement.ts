import { type Meter, SpanKind, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import type { Logger } from '@tollgate/common/logging';
import { fromTraceContext, meterOf } from '@tollgate/common/telemetry';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { QUARANTINE_CAUSES, type QuarantinedRecord } from './plan-settlement.ts';
import type { Settlement } from './settler.ts';

/** The name of an outcome in metrics and spans. */
export function outcomeName(outcome: SettleOutcome): string {
  switch (outcome) {
    case SettleOutcome.UNSPECIFIED:
      return 'unspecified';
    case SettleOutcome.POSTED:
      return 'posted';
    case SettleOutcome.DUPLICATE:
      return 'duplicate';
    case SettleOutcome.LOSS:
      return 'loss';
    case SettleOutcome.QUARANTINED:
      return 'quarantined';
    default:
      return outcome satisfies never;
  }
}

/** Maximum records named in one log line; all of them are in the quarantine table. */
const MAX_NAMED = 10;

/** Malformed ids are truncated to this length in the log. */
const MAX_ID_LENGTH = 100;

/** Creates the reporter of commits: metrics, and log lines for quarantined records, losses and charges above their hold. */
export function createSettlementReporter(
  logger: Logger,
  meter: Pick<Meter, 'createCounter' | 'createHistogram'> = meterOf('tollgate-ledger'),
): (settlement: Settlement) => void {
  const settled = meter.createCounter('tollgate_ledger_settled', { description: 'Settlement records by outcome' });
  const quarantined = meter.createCounter('tollgate_ledger_quarantined', {
    description:
      'Quarantined settlement records, by reason; other_content is a request_id charged again with another bill',
  });
  const lost = meter.createCounter('tollgate_ledger_operator_loss_nanos', {
    description: 'Nano-dollars of charges that the operator bears, by reason',
  });
  // A series that starts with its first event shows no increase, and alerts would miss it.
  for (const reason of QUARANTINE_CAUSES) quarantined.add(0, { reason });
  for (const reason of ['above_hold', 'not_covered']) lost.add(0, { reason });
  const rows = meter.createHistogram('tollgate_ledger_settle_rows', { description: 'Records of one commit' });
  const took = meter.createHistogram('tollgate_ledger_settle_ms', { description: 'Duration of one commit' });
  return ({ records, plan, startedAt, endedAt }) => {
    rows.record(records.length);
    took.record(endedAt - startedAt);
    for (const [outcome, count] of countOf(plan.outcomes)) settled.add(count, { outcome: outcomeName(outcome) });
    const uncovered: string[] = [];
    const aboveHold: string[] = [];
    for (const { record, chargedNanos } of plan.postings) {
      const { costNanos, holdNanos, requestId } = record.charge;
      if (costNanos === chargedNanos) continue;
      const excess = costNanos > holdNanos ? costNanos - holdNanos : 0n;
      const missing = costNanos - chargedNanos - excess;
      if (excess > 0n) {
        lost.add(Number(excess), { reason: 'above_hold' });
        aboveHold.push(requestId);
      }
      if (missing > 0n) {
        lost.add(Number(missing), { reason: 'not_covered' });
        uncovered.push(requestId);
      }
    }
    warn('charges above their hold: the bound was wrong', aboveHold);
    warn('charges that their lease did not cover', uncovered);
    for (const { cause } of plan.quarantined) quarantined.add(1, { reason: cause });
    const isContradicting = ({ cause }: QuarantinedRecord) => cause === 'other_content';
    alarm('requests were settled again with another content', plan.quarantined.filter(isContradicting));
    alarm(
      'settlement records were quarantined',
      plan.quarantined.filter((item) => !isContradicting(item)),
    );
  };

  function alarm(message: string, items: readonly QuarantinedRecord[]): void {
    if (items.length === 0) return;
    const records = items.slice(0, MAX_NAMED).map(({ record, reason }) => ({
      request_id: record.charge.requestId.slice(0, MAX_ID_LENGTH),
      account_id: record.charge.accountId.slice(0, MAX_ID_LENGTH),
      reason,
    }));
    logger.error({ count: items.length, records }, message);
  }

  function warn(message: string, requestIds: string[]): void {
    if (requestIds.length === 0) return;
    logger.warn({ count: requestIds.length, request_ids: requestIds.slice(0, MAX_NAMED) }, message);
  }
}

function countOf(outcomes: readonly SettleOutcome[]): Map<SettleOutcome, number> {
  const counts = new Map<SettleOutcome, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}

/** Gives each sampled request of a commit a span in its own trace, with the times of the commit. */
export function recordSettlementSpans(
  settlement: Settlement,
  tracer: Pick<Tracer, 'startSpan'> = trace.getTracer('tollgate-ledger'),
): void {
  const { records, plan, startedAt, endedAt } = settlement;
  for (const [index, { received, charge }] of records.entries()) {
    if (received.trace === undefined || (received.trace.flags & TraceFlags.SAMPLED) === 0) continue;
    const span = tracer.startSpan(
      'ledger.settle',
      {
        kind: SpanKind.CONSUMER,
        startTime: startedAt,
        attributes: {
          'tollgate.request_id': charge.requestId,
          'tollgate.settle.outcome': outcomeName(plan.outcomes[index] ?? SettleOutcome.UNSPECIFIED),
          'tollgate.settle.rows': records.length,
        },
      },
      fromTraceContext(received.trace),
    );
    span.end(endedAt);
  }
}
