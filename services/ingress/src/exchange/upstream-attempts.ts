import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { RequestTracer } from '@tollgate/common/request-tracer';
import { toTraceContext } from '@tollgate/common/telemetry';
import { DEFAULT_UPSTREAM_TIMEOUTS } from '@tollgate/common/upstream-timeouts';
import type { Attempt as AttemptRecord } from '@tollgate/proto/ledger';
import { OutcomeKind } from '@tollgate/proto/router';
import type { RequestedOption } from '@tollgate/protocols/canonical/price-options';
import type { CacheWriteBucket } from '@tollgate/protocols/canonical/usage';
import type { ResponseContext } from '@tollgate/protocols/interface/protocol';
import type { IngressConfig } from '../config.ts';
import type { Route } from '../shared/catalogue/route-table.ts';
import { type ApiError, apiErrors } from '../shared/errors/api-error.ts';
import { pausesFor } from '../shared/scheduling.ts';
import { BufferedResponse, type BufferedResponsePlan, type ReceiverDependencies } from './buffered-response.ts';
import type { FailedAttempt } from './charge.ts';
import { type CallCredential, credentialsFor, identityHeaders } from './credentials/credentials.ts';
import { redactorOf } from './credentials/redaction.ts';
import type { Attempt, Exchange } from './exchange.ts';
import type { OpenCalls } from './open-calls.ts';
import type { OutcomeReporter } from './outcome-reporter.ts';
import { attemptRecord } from './records.ts';
import { type ResponseReceiver, responseContextOf } from './response-receiver.ts';
import { StreamRelay, type StreamRelayDependencies, type StreamRelayPlan } from './stream-relay.ts';
import type { ProviderAccess } from './upstream/ask.ts';
import {
  isConnectionFailure,
  mayFallBack,
  outcomeOf,
  redacted,
  statusOf,
  toApiError,
  type UpstreamFailure,
} from './upstream/failure.ts';
import { upstreamHeaders } from './upstream/headers.ts';

/** Maximum number of upstream calls for one request, over all deployments and credentials. */
const MAX_ATTEMPTS = 3;

/** What the response to an attempt goes through on its way to the client. */
export type ResponsePlan = ({ kind: 'stream' } & StreamRelayPlan) | ({ kind: 'buffered' } & BufferedResponsePlan);

/** What an attempt at one deployment sends, and what becomes of its response. */
export interface AttemptPlan {
  route: Route;
  /** Path under the provider's base URL. */
  path: string;
  body: () => Buffer | Promise<Buffer>;
  /** Headers that the request itself needs. */
  headers: Record<string, string>;
  /** What the request chooses at another price, as far as this deployment is sent it. */
  options: readonly RequestedOption[];
  /** The lifetime of cache writes that the provider does not report. */
  cacheLifetime?: CacheWriteBucket | undefined;
  response: (context: ResponseContext) => ResponsePlan;
}

export interface AttemptDependencies extends ReceiverDependencies, StreamRelayDependencies {
  providers: ProviderAccess;
  outcomes: OutcomeReporter;
  config: Pick<IngressConfig, 'MAX_REQUEST_MS' | 'STREAM_KEEP_ALIVE_MS'>;
  openCalls: OpenCalls;
}

const tracer = new RequestTracer('tollgate-ingress');

/** The result of all attempts of an exchange. */
export type AttemptsResult = { kind: 'started' } | { kind: 'failed'; error: ApiError; last: FailedAttempt | undefined };

/**
 * Makes the planned attempts in order until one is responded to: another deployment or credential after a failure that it may
 * not share, and the last one once more after a connection that broke before the response, as an idle one may.
 */
export async function makeAttempts(
  deps: AttemptDependencies,
  exchange: Exchange,
  plans: readonly AttemptPlan[],
): Promise<AttemptsResult> {
  const candidates = candidatesFor(deps, plans);
  let earlier: readonly AttemptRecord[] = [];
  let last: FailedAttempt | undefined;
  let repeated = false;
  for (let index = 0; index < candidates.length && earlier.length < MAX_ATTEMPTS; ) {
    const candidate = candidates[index];
    if (candidate === undefined) break;
    const result = await tryOnce(deps, exchange, candidate, earlier);
    if (result.kind === 'started') return result;
    last = result;
    if (exchange.client.isClosed || !mayFallBack(result.failure)) break;
    earlier = [...earlier, attemptRecord(exchange, result.attempt, result.failure)];
    const repeat = isConnectionFailure(result.failure) && index === candidates.length - 1 && !repeated;
    if (repeat) repeated = true;
    else index++;
  }
  if (last === undefined) return { kind: 'failed', error: apiErrors.modelNotAvailable(exchange.clientModel), last };
  return { kind: 'failed', error: toApiError(last.failure), last };
}

interface Candidate {
  plan: AttemptPlan;
  credential: CallCredential;
  /** All credentials of its deployment. */
  credentials: readonly CallCredential[];
}

/** Every planned deployment with each of its credentials; a deployment without credentials is listed once. */
function candidatesFor({ providers }: AttemptDependencies, plans: readonly AttemptPlan[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (const plan of plans) {
    const credentials = credentialsFor(providers, plan.route);
    for (const credential of credentials) candidates.push({ plan, credential, credentials });
  }
  return candidates;
}

/** What receives the response to an attempt. */
function receiverFor(
  deps: AttemptDependencies,
  exchange: Exchange,
  attempt: Attempt,
  plan: AttemptPlan,
): ResponseReceiver {
  const response = plan.response(responseContextOf(exchange, attempt));
  switch (response.kind) {
    case 'stream':
      return new StreamRelay(deps, exchange, attempt, response);
    case 'buffered':
      return new BufferedResponse(deps, exchange, attempt, response);
    default:
      return response satisfies never;
  }
}

type TriedOnce = { kind: 'started' } | ({ kind: 'failed' } & FailedAttempt);

async function tryOnce(
  deps: AttemptDependencies,
  exchange: Exchange,
  { plan, credential, credentials }: Candidate,
  earlier: readonly AttemptRecord[],
): Promise<TriedOnce> {
  const { route, options, cacheLifetime } = plan;
  const { provider, deployment } = route;
  const { operation, entry, context } = exchange;
  const span = tracer.startWithin(context.span, `${operation} ${entry.model.modelId}`, SpanKind.CLIENT);
  const redact = redactorOf(route, credentials);
  const sent = { options, multiplierPpm: route.priceMultiplierPpm, cacheLifetime };
  const startedAt = performance.now();
  const attempt: Attempt = { route, span, startedAt, earlier, providerStatus: 0, bodyBytes: 0, sent, redact };
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
  const body = await plan.body();
  attempt.bodyBytes = body.length;
  const secret = credential.kind === 'found' ? credential.value : undefined;
  const headers = upstreamHeaders(provider, secret, span.spanContext(), exchange.streamed, plan.headers);
  const { origin } = route;
  const path = route.basePath + plan.path;
  const call = { origin, path, headers, body };
  const authorization = await identityHeaders(credential, { ...call, pause: pausesFor(body.length) });
  if (authorization.kind === 'missing') {
    return failed(deps, exchange, attempt, redacted({ kind: 'no_credential', detail: authorization.detail }, redact));
  }
  const receiver = receiverFor(deps, exchange, attempt, plan);
  const timeouts = provider.timeouts ?? DEFAULT_UPSTREAM_TIMEOUTS;
  // The ledger keeps the credit of a lost ingress for the maximum duration of a request, so none may take longer.
  const elapsedMs = performance.now() - exchange.context.startedAt;
  const totalMs = Math.max(1, Math.min(timeouts.totalMs, deps.config.MAX_REQUEST_MS - elapsedMs));
  Object.assign(headers, authorization.headers);
  receiver.attach(deps.providers.upstream.call({ ...call, timeouts, totalMs }, receiver));
  const place = deps.openCalls.add(receiver);
  const result = await receiver.progress.ended;
  deps.openCalls.delete(place);
  const { failure } = result;
  if (failure?.kind === 'credential_refused' && credential.kind === 'identity') {
    credential.identity.refused(authorization.headers);
  }
  if (result.kind === 'failed') return failed(deps, exchange, attempt, redacted(result.failure, redact));
  endAttempt(deps, exchange, attempt, failure && redacted(failure, redact));
  return result;
}

function failed(deps: AttemptDependencies, exchange: Exchange, attempt: Attempt, failure: UpstreamFailure): TriedOnce {
  endAttempt(deps, exchange, attempt, failure);
  return { kind: 'failed', failure, attempt };
}

/** Ends the attempt's span, logs a failure with the provider's message, and reports the outcome to the router. */
function endAttempt(
  deps: AttemptDependencies,
  exchange: Exchange,
  attempt: Attempt,
  failure: UpstreamFailure | undefined,
): void {
  const { span, route, startedAt, earlier } = attempt;
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
        retries: earlier.length,
      },
      'upstream call failed',
    );
  }
  span.end();
  deps.outcomes.report({
    deploymentId: route.deployment.deploymentId,
    kind: failure !== undefined ? outcomeOf(failure) : OutcomeKind.SUCCESS,
    durationMs: Math.round(performance.now() - startedAt),
    httpStatus: failure === undefined ? 200 : statusOf(failure),
    trace: toTraceContext(span.spanContext()),
  });
}
