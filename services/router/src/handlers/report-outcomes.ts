import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { RpcError } from '@tollgate/common/errors';
import type { OpenStreams } from '@tollgate/common/grpc/server-stream';
import { serveMessages } from '@tollgate/common/grpc/server-stream';
import type { Logger } from '@tollgate/common/logging';
import { fromTraceContext } from '@tollgate/common/telemetry';
import { type Outcome, type OutcomeBatch, type OutcomeBatchAck, OutcomeKind } from '@tollgate/proto/router';
import type { RouterMetrics } from '../health/metrics.ts';
import { outcomeName } from '../health/outcome-name.ts';
import type { RouteStore } from '../routes/route-store.ts';

/** Maximum calls of a batch. */
const MAX_CALLS = 1_000;

const tracer = trace.getTracer('tollgate-router');

/** Counts outcomes and acknowledges each batch. Outcomes of sampled requests get a span in their trace. */
export function createReportOutcomesHandler({
  routes,
  metrics,
  streams,
  logger,
}: {
  routes: RouteStore;
  metrics: RouterMetrics;
  streams: OpenStreams;
  logger: Logger;
}): handleBidiStreamingCall<OutcomeBatch, OutcomeBatchAck> {
  return (call) => {
    serveMessages(call, {
      name: 'ReportOutcomes',
      logger,
      open: streams,
      // A client that does not read its acknowledgements is not read from either.
      maxInFlight: 1,
      handle: async ({ sequence, outcomes }, stream) => {
        const calls = outcomes.reduce((sum, outcome) => sum + callsOf(outcome), 0);
        if (calls > MAX_CALLS) {
          throw new RpcError('invalid_argument', `outcomes: at most ${MAX_CALLS} calls in a batch, got ${calls}`);
        }
        routes.record(outcomes);
        for (const outcome of outcomes) {
          metrics.countOutcome(outcome.deploymentId, outcome.kind, callsOf(outcome));
          if (outcome.trace !== undefined) traceOutcome(outcome, outcome.trace);
        }
        await stream.send({ sequence });
      },
    });
  };
}

function callsOf({ furtherDurationsMs }: Outcome): number {
  return 1 + furtherDurationsMs.length;
}

function traceOutcome(outcome: Outcome, parent: NonNullable<Outcome['trace']>): void {
  const span = tracer.startSpan(
    'router.record_outcome',
    {
      kind: SpanKind.CONSUMER,
      attributes: {
        'tollgate.deployment': outcome.deploymentId,
        'tollgate.outcome': outcomeName(outcome.kind),
        'http.response.status_code': outcome.httpStatus,
      },
    },
    fromTraceContext(parent),
  );
  if (outcome.kind !== OutcomeKind.SUCCESS && outcome.kind !== OutcomeKind.NEUTRAL) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: outcomeName(outcome.kind) });
  }
  span.end();
}
