import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { RpcError, toGrpcStatus } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { fromTraceContext } from '@tollgate/common/telemetry';
import { type Outcome, type OutcomeBatch, type OutcomeBatchAck, OutcomeKind } from '@tollgate/proto/router';
import { outcomeName } from '../health/outcome-name.ts';
import type { RouterMetrics } from '../metrics.ts';
import type { RouteStore } from '../routes/route-store.ts';
import type { OpenStreams } from './open-streams.ts';

/** Outcomes of one batch at most, as the contract says. */
const MAX_OUTCOMES = 1_000;

const tracer = trace.getTracer('tollgate-router');

/** Counts outcomes and answers each batch once it is counted. Outcomes of sampled requests get a span in their trace. */
export function reportOutcomes(
  routes: RouteStore,
  metrics: RouterMetrics,
  streams: OpenStreams,
  logger: Logger,
): handleBidiStreamingCall<OutcomeBatch, OutcomeBatchAck> {
  return (call) => {
    const leave = streams.add(() => call.end());
    call.on('data', ({ sequence, outcomes }: OutcomeBatch) => {
      if (outcomes.length > MAX_OUTCOMES) {
        const refusal = new RpcError('invalid_argument', `a batch holds at most ${MAX_OUTCOMES} outcomes`);
        call.emit('error', toGrpcStatus(refusal));
        return;
      }
      routes.record(outcomes);
      for (const outcome of outcomes) {
        metrics.countOutcome(outcome.deploymentId, outcome.kind);
        if (outcome.trace !== undefined) traceOutcome(outcome, outcome.trace);
      }
      // A client that does not read its answers is not read from either.
      if (!call.write({ sequence })) {
        call.pause();
        call.once('drain', () => call.resume());
      }
    });
    call.on('end', () => call.end());
    call.on('close', leave);
    call.on('cancelled', leave);
    call.on('error', (error: Error) => {
      leave();
      logger.warn({ err: error }, 'a stream of outcomes was lost');
    });
  };
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
