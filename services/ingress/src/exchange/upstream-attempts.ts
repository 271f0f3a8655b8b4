import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { toTraceContext } from '@tollgate/common/telemetry';
import { DEFAULT_UPSTREAM_TIMEOUTS } from '@tollgate/common/upstream-timeouts';
import { OutcomeKind } from '@tollgate/proto/router';
import type { Dependencies } from '../dependencies.ts';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import { orderRoutes } from '../model-routing/choose-route.ts';
import type { Route } from '../model-routing/route-table.ts';
import type { Credential } from '../upstream/credentials.ts';
import { mayFallBack, outcomeOf, redacted, statusOf, toApiError, type UpstreamFailure } from '../upstream/failure.ts';
import { upstreamHeaders } from '../upstream/headers.ts';
import { redactorOf } from '../upstream/route-redactor.ts';
import type { Attempt, Exchange } from './exchange.ts';
import type { ResponseReceiver } from './response-receiver.ts';

/** Maximum number of upstream calls for one request, over all deployments and credentials. */
const MAX_ATTEMPTS = 3;

/** How attempts are made, depending on the route. */
export interface AttemptPlan {
  /** Whether the request can be sent to this deployment; others are skipped. */
  serves: (route: Route) => boolean;
  /** Path under the provider's base URL. */
  path: (route: Route) => string;
  body: (route: Route) => Buffer | Promise<Buffer>;
  /** Headers that the request itself needs. */
  headers: (route: Route) => Record<string, string>;
  receive: (attempt: Attempt) => ResponseReceiver;
}

type Deps = Pick<Dependencies, 'upstream' | 'outcomes' | 'credentials' | 'logger' | 'config' | 'openCalls'>;

const tracer = trace.getTracer('tollgate-ingress');

/** The result of all attempts of an exchange. */
export type AttemptsResult = { kind: 'started' } | { kind: 'failed'; error: ApiError; attempt: Attempt | undefined };

/**
 * Tries a model's deployments in order until one responds: another deployment or credential after a failure that it may
 * not share, and the last one once more after a connection that broke before the response, as an idle one may.
 */
export async function tryRoutes(
  deps: Deps,
  exchange: Exchange,
  affinity: number,
  plan: AttemptPlan,
): Promise<AttemptsResult> {
  const candidates = candidatesFor(deps, orderRoutes(exchange.entry, affinity).filter(plan.serves));
  let last: { failure: UpstreamFailure; attempt: Attempt } | undefined;
  let retries = 0;
  let repeated = false;
  for (let index = 0; index < candidates.length && retries < MAX_ATTEMPTS; retries++) {
    const candidate = candidates[index];
    if (candidate === undefined) break;
    const result = await tryOnce(deps, exchange, candidate, retries, plan);
    if (result.kind === 'started') return result;
    last = result;
    if (exchange.client.isClosed || !mayFallBack(result.failure)) break;
    const repeat = result.failure.kind === 'connection' && index === candidates.length - 1 && !repeated;
    if (repeat) repeated = true;
    else index++;
  }
  if (last === undefined)
    return { kind: 'failed', error: apiErrors.modelNotAvailable(exchange.clientModel), attempt: undefined };
  return { kind: 'failed', error: toApiError(last.failure), attempt: last.attempt };
}

interface Candidate {
  route: Route;
  credential: Credential | { kind: 'none' };
}

/** Every deployment with each of its credentials; one that needs none is listed once. */
function candidatesFor(deps: Deps, routes: readonly Route[]): Candidate[] {
  return routes.flatMap((route): Candidate[] =>
    route.deployment.credentials.length === 0
      ? [{ route, credential: { kind: 'none' } }]
      : route.deployment.credentials.map((reference) => ({ route, credential: deps.credentials.read(reference) })),
  );
}

async function tryOnce(
  deps: Deps,
  exchange: Exchange,
  { route, credential }: Candidate,
  retries: number,
  plan: AttemptPlan,
): Promise<{ kind: 'started' } | { kind: 'failed'; failure: UpstreamFailure; attempt: Attempt }> {
  const { provider, deployment } = route;
  const parent = trace.setSpan(ROOT_CONTEXT, exchange.context.span);
  const span = tracer.startSpan(
    `${exchange.operation} ${exchange.entry.model.modelId}`,
    { kind: SpanKind.CLIENT },
    parent,
  );
  const redact = redactorOf(deps.credentials, route);
  const attempt: Attempt = { route, span, startedAtMs: Date.now(), retries, bodyBytes: 0, redact };
  if (span.isRecording()) {
    span.setAttributes({
      'gen_ai.operation.name': exchange.operation,
      'gen_ai.request.model': deployment.upstreamModel,
      'gen_ai.provider.name': provider.providerId,
      'tollgate.deployment': deployment.deploymentId,
    });
  }
  if (credential.kind === 'missing') {
    return failed(deps, exchange, attempt, { kind: 'credential_refused', status: 0, detail: credential.detail });
  }
  const body = await plan.body(route);
  attempt.bodyBytes = body.length;
  const receiver = plan.receive(attempt);
  const timeouts = provider.timeouts ?? DEFAULT_UPSTREAM_TIMEOUTS;
  // The ledger keeps the credit of a lost ingress for the maximum duration of a request, so none may take longer.
  const elapsedMs = performance.now() - exchange.context.startedAt;
  const call = deps.upstream.call(
    {
      origin: route.origin,
      path: route.basePath + plan.path(route),
      headers: {
        ...plan.headers(route),
        ...upstreamHeaders(
          provider,
          credential.kind === 'found' ? credential.value : undefined,
          span.spanContext(),
          exchange.streamed,
        ),
      },
      body,
      timeouts,
      totalMs: Math.max(1, Math.min(timeouts.totalMs, deps.config.MAX_REQUEST_MS - elapsedMs)),
    },
    receiver,
  );
  receiver.attach(call);
  const removeOpenCall = deps.openCalls.add(() => receiver.stop());
  const result = await receiver.result;
  const failure = result.kind === 'failed' ? result.failure : await receiver.finished;
  removeOpenCall();
  if (result.kind === 'failed') return failed(deps, exchange, attempt, redacted(result.failure, redact));
  endAttempt(deps, exchange, attempt, failure && redacted(failure, redact));
  return result;
}

function failed(deps: Deps, exchange: Exchange, attempt: Attempt, failure: UpstreamFailure) {
  endAttempt(deps, exchange, attempt, failure);
  return { kind: 'failed' as const, failure, attempt };
}

/** Ends the attempt's span, logs a failure with the provider's message, and reports the outcome to the router. */
function endAttempt(deps: Deps, exchange: Exchange, attempt: Attempt, failure: UpstreamFailure | undefined): void {
  const { span, route, startedAtMs, retries } = attempt;
  if (failure !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure.kind });
    deps.logger.warn(
      {
        trace_id: exchange.context.traceId,
        request_id: exchange.context.requestId,
        deployment: route.deployment.deploymentId,
        failure: failure.kind,
        upstream_status: statusOf(failure),
        detail: 'detail' in failure ? failure.detail : undefined,
        retries,
      },
      'upstream call failed',
    );
  }
  span.end();
  deps.outcomes.report({
    deploymentId: route.deployment.deploymentId,
    kind: failure !== undefined ? outcomeOf(failure) : OutcomeKind.SUCCESS,
    startedAtMs: BigInt(startedAtMs),
    durationMs: Date.now() - startedAtMs,
    httpStatus: failure === undefined ? 200 : statusOf(failure),
    trace: toTraceContext(span.spanContext()),
  });
}
