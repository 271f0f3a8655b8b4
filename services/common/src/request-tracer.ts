import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AlwaysOffSampler, type IdGenerator, type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace';
import { newSpanId, newTraceId } from './ids.ts';

let sampler: Sampler = new AlwaysOffSampler();

/** Sets which requests get spans, from the start of telemetry until its end. */
export function setRequestSampler(requestSampler: Sampler | undefined): void {
  sampler = requestSampler ?? new AlwaysOffSampler();
}

/** The trace id of the span that is being started, which was chosen before. */
let chosenTraceId: string | undefined;

/** Gives the SDK its ids. */
export const idGenerator: IdGenerator = {
  generateTraceId: () => chosenTraceId ?? newTraceId(),
  generateSpanId: newSpanId,
};

const NO_ATTRIBUTES = {};
const NO_LINKS: Link[] = [];

/** Where a request comes from. */
export interface RequestOrigin {
  /** The span of another process that the request's span continues; undefined for a new trace. */
  parent: SpanContext | undefined;
  /** A span that the request's span only refers to. */
  link: SpanContext | undefined;
}

/**
 * Starts the spans of requests. Most are not sampled, and then the SDK's span would cost more than the rest of tracing: such
 * a request has an id and a span that records nothing, which stands for its further spans, too.
 */
export class RequestTracer {
  readonly #tracer: Tracer;

  constructor(service: string) {
    this.#tracer = trace.getTracer(service);
  }

  /** Starts the first span of a request in this process. It has a trace id in any case. */
  startRequest(name: string, kind: SpanKind, { parent, link }: RequestOrigin): Span {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const links = link === undefined ? NO_LINKS : [{ context: link }];
    const traceId = parent?.traceId ?? newTraceId();
    const { decision } = sampler.shouldSample(context, traceId, name, kind, NO_ATTRIBUTES, links);
    if (decision !== SamplingDecision.NOT_RECORD) {
      const span = this.#startRecorded(traceId, name, kind, links, context);
      if (span.isRecording()) return span;
    }
    return trace.wrapSpanContext({ traceId, spanId: newSpanId(), traceFlags: TraceFlags.NONE });
  }

  /** Starts a span within a request, whose decision it follows. */
  startWithin(parent: Span, name: string, kind: SpanKind): Span {
    if ((parent.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return parent;
    return this.#tracer.startSpan(name, { kind }, trace.setSpan(ROOT_CONTEXT, parent));
  }

  /** Starts a span of the SDK. It asks the same sampler about the same id again, with the same result. */
  #startRecorded(traceId: string, name: string, kind: SpanKind, links: Link[], context: Context): Span {
    chosenTraceId = traceId;
    try {
      return this.#tracer.startSpan(name, { kind, links }, context);
    } finally {
      chosenTraceId = undefined;
    }
  }
}
