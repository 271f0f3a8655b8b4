import type { ClientRequest, NativeCount } from '@tollgate/protocols/interface/protocol';
import { isRecord, parseJson } from '@tollgate/protocols/json/record';
import type { Stages } from '@tollgate/protocols/lists/stages';
import { loadCounter } from '@tollgate/protocols/tokens/counter';
import { collectResponse } from '../../exchange/upstream/call.ts';
import { credentialsFor, identityHeaders } from '../../exchange/upstream/credentials.ts';
import { type ForwardedHeaders, upstreamHeaders } from '../../exchange/upstream/headers.ts';
import type { AttemptDependencies } from '../../exchange/upstream-attempts.ts';
import type { RoutableModel, Route } from '../../shared/catalogue/route-table.ts';
import type { RequestContext } from '../../shared/request/request-context.ts';
import { type Pause, runStages } from '../../shared/scheduling/stages.ts';
import { orderRoutes } from '../routing/choose-route.ts';
import { dispatchTo, type RequestAdapters, type SentLimits } from './request-adapters.ts';

/** Short, because a tokenizer's estimate takes only milliseconds. */
const COUNT_TIMEOUT_MS = 5_000;
const MAX_COUNT_BYTES = 64 * 1024;

/** Estimates the tokens of a request's text, for a provider that does not report them. Images are not counted. */
export async function countInput(request: ClientRequest): Promise<number> {
  const count = await loadCounter();
  return count(request.texts().join('\n'));
}

/** What chat templates add around each message, and before the response. */
const MESSAGE_TOKENS = 4;
const RESPONSE_TOKENS = 3;

/** Estimates the tokens of a prompt as chat completions bill it. A fragment that is no prompt counts as one message. */
export async function estimatePrompt(request: ClientRequest, pause: Pause): Promise<number> {
  const decoded = await runStages(request.canonical(), pause);
  const messages = decoded.ok ? decoded.request.messages.length : 1;
  return (await countInput(request)) + messages * MESSAGE_TOKENS + RESPONSE_TOKENS;
}

/** The deployment whose provider can count a prompt's tokens; undefined if none has a call for it. */
export function countingRoute(entry: RoutableModel, adapters: RequestAdapters): Route | undefined {
  return orderRoutes(entry, () => 0).find(
    (route) => adapters.forRoute(route)?.protocol.upstream.nativeCount !== undefined,
  );
}

/** A request whose tokens are counted. */
export interface CountedRequest {
  readonly route: Route;
  readonly adapters: RequestAdapters;
  readonly forwarded: ForwardedHeaders;
  readonly limits: SentLimits;
  readonly pause: Pause;
}

/**
 * Asks a deployment's provider to count a prompt's tokens.
 *
 * @returns undefined when the provider does not respond in time
 */
export async function countAtProvider(
  deps: Pick<AttemptDependencies, 'upstream' | 'credentials' | 'identities' | 'logger'>,
  context: RequestContext,
  { route, adapters, forwarded, limits, pause }: CountedRequest,
): Promise<number | undefined> {
  const adapter = adapters.forRoute(route);
  const native = adapter?.protocol.upstream.nativeCount;
  if (adapter === undefined || native === undefined) return undefined;
  const { provider, deployment } = route;
  const [credential] = credentialsFor(deps, route);
  if (credential === undefined || credential.kind === 'missing') return undefined;
  const dispatch = dispatchTo(route, { ...limits, outputTokens: undefined }, forwarded);
  const generation = await adapter.body(dispatch, pause);
  await pause();
  const body = await runStages(countingBody(generation, native, route), pause);
  if (body === undefined) return undefined;
  const call = {
    origin: route.origin,
    path: route.basePath + native.path(deployment.upstreamModel, route.form),
    headers: upstreamHeaders(
      provider,
      credential.kind === 'found' ? credential.value : undefined,
      context.span.spanContext(),
      false,
      forwarded.to(provider).headers,
    ),
    body,
  };
  const authorization = await identityHeaders(credential, { ...call, pause });
  if (authorization.kind === 'missing') return undefined;
  const response = await collectResponse(
    deps.upstream,
    {
      ...call,
      headers: { ...call.headers, ...authorization.headers },
      timeouts: {
        connectMs: COUNT_TIMEOUT_MS,
        firstByteMs: COUNT_TIMEOUT_MS,
        idleMs: COUNT_TIMEOUT_MS,
        totalMs: COUNT_TIMEOUT_MS,
      },
      totalMs: COUNT_TIMEOUT_MS,
    },
    MAX_COUNT_BYTES,
  );
  if (response.kind === 'response' && response.status === 200) return native.decode(response.body);
  const reason =
    response.kind === 'response' ? { upstream_status: response.status } : { failure: response.failure.kind };
  deps.logger.warn(
    { trace_id: context.traceId, request_id: context.requestId, deployment: deployment.deploymentId, ...reason },
    'the provider did not count the tokens of a prompt',
  );
  return undefined;
}

/** The body of the counting call, derived from that of the generation call. */
function* countingBody(body: Buffer, native: NativeCount, route: Route): Stages<Buffer | undefined> {
  const text = body.toString('utf8');
  yield;
  const generation = parseJson(text);
  yield;
  if (!isRecord(generation)) return undefined;
  const { upstreamModel } = route.deployment;
  const counting = JSON.stringify(native.encodeRequest(generation, upstreamModel, route.form));
  yield;
  return Buffer.from(counting);
}
