import { SpanKind, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { fromTraceContext } from '@tollgate/common/telemetry';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { outcomeName } from './outcome-name.ts';
import type { Settlement } from './settler.ts';

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
