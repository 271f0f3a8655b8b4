import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '@tollgate/common/logging';
import type { ClientRequest, NativeCount, Protocol } from '@tollgate/protocols/interface/protocol';
import { isRecord, parseJson } from '@tollgate/protocols/json/record';
import type { Stages } from '@tollgate/protocols/lists/stages';
import { loadCounter } from '@tollgate/protocols/tokens/counter';
import type { Question, Reply } from '../../exchange/upstream/ask.ts';
import { forwardedHeaders } from '../../exchange/upstream/headers.ts';
import type { RoutableModel, Route, RouteTable } from '../../shared/catalogue/route-table.ts';
import type { RequestContext } from '../../shared/request/request-context.ts';
import { type Pause, runStages } from '../../shared/scheduling.ts';
import { orderRoutes } from '../routing/find-routes.ts';
import { selectModel } from './check-request.ts';
import type { ReadRequest } from './read-request.ts';
import { dispatchTo, type RequestAdapters, type SentWith, tryRequestAdapters } from './request-adapters.ts';
import { modelOutputLimit, policyWith } from './sent-limits.ts';

/** Short, because a tokenizer's estimate takes only milliseconds. */
const COUNT_TIMEOUT_MS = 5_000;
const TIMEOUTS = {
  connectMs: COUNT_TIMEOUT_MS,
  firstByteMs: COUNT_TIMEOUT_MS,
  idleMs: COUNT_TIMEOUT_MS,
  totalMs: COUNT_TIMEOUT_MS,
};
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

/** A request whose tokens are counted. */
export interface PlannedCount {
  /** Asks its model's provider, and resolves with undefined if that does not respond in time; absent where none has a call for it. */
  atProvider: ((ask: Ask) => Promise<number | undefined>) | undefined;
  estimate: () => Promise<number>;
  /** What was left out of the request. */
  warnings: readonly string[];
  /** Why no deployment can take it; undefined if one can. */
  problem: string | undefined;
  pause: Pause;
}

/** Asks the provider of a deployment. */
export type Ask = (route: Route, question: Question) => Promise<Reply>;

/** Plans the count of a prompt's tokens. Throws an ApiError that names the field at fault. */
export async function planCount(
  protocol: Protocol,
  { request, pause }: ReadRequest,
  table: RouteTable,
  headers: IncomingHttpHeaders,
  context: RequestContext,
  logger: Logger,
): Promise<PlannedCount> {
  const { name } = protocol;
  const { entry, hosted } = selectModel(request, name, table, context);
  const sent = {
    limits: { outputTokens: modelOutputLimit(request, entry), hostedUses: hosted?.uses },
    headers: forwardedHeaders(headers, name),
    pause,
  };
  const adapters = await tryRequestAdapters(protocol, request, entry, sent);
  const route = countingRoute(entry, adapters);
  return {
    atProvider: route && ((ask) => countAtProvider(ask, context, logger, { route, adapters, sent })),
    estimate: () => estimatePrompt(request, pause),
    warnings: policyWith(request, hosted?.uses).warnings.map(({ message }) => message),
    problem: adapters.problem,
    pause,
  };
}

/** The deployment whose provider can count a prompt's tokens; undefined if none has a call for it. */
function countingRoute(entry: RoutableModel, adapters: RequestAdapters): Route | undefined {
  return orderRoutes(entry, () => 0).find(
    (route) => adapters.forRoute(route)?.protocol.upstream.nativeCount !== undefined,
  );
}

/** @returns undefined when the provider does not respond in time */
async function countAtProvider(
  ask: Ask,
  context: RequestContext,
  logger: Logger,
  { route, adapters, sent }: { route: Route; adapters: RequestAdapters; sent: SentWith },
): Promise<number | undefined> {
  const adapter = adapters.forRoute(route);
  const native = adapter?.protocol.upstream.nativeCount;
  if (adapter === undefined || native === undefined) return undefined;
  const { provider, deployment } = route;
  const { limits, headers, pause } = sent;
  const generation = await adapter.body(dispatchTo(route, { ...limits, outputTokens: undefined }, headers), pause);
  await pause();
  const body = await runStages(countingBody(generation, native, route), pause);
  if (body === undefined) return undefined;
  const reply = await ask(route, {
    path: native.path(deployment.upstreamModel, route.form),
    headers: headers.to(provider).headers,
    body,
    isStream: false,
    span: context.span.spanContext(),
    timeouts: TIMEOUTS,
    maxBytes: MAX_COUNT_BYTES,
    pause,
  });
  if (reply.kind === 'unauthorized') return undefined;
  if (reply.kind === 'response' && reply.status === 200) return native.decode(reply.body);
  const reason = reply.kind === 'response' ? { upstream_status: reply.status } : { failure: reply.failure.kind };
  logger.warn(
    { trace_id: context.traceId, request_id: context.requestId, deployment: deployment.deploymentId, ...reason },
    'the provider did not count the tokens of a prompt',
  );
  return undefined;
}

/** The body of the counting call, derived from the generation call's. */
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
