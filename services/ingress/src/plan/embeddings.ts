import { Protocol } from '@tollgate/proto/router';
import {
  type ClientEmbeddings,
  type EmbeddingsProtocol,
  type EmbeddingsResult,
  requestTexts,
  inputTokens as tokensOf,
  type UpstreamEmbeddings,
} from '@tollgate/protocols/embeddings/index';
import { readUpstreamError, type UpstreamError } from '@tollgate/protocols/interface/errors';
import { loadCounter } from '@tollgate/protocols/tokens/counter';
import type { PlannedCall } from '../exchange/exchanges.ts';
import { withClientModel } from '../exchange/upstream/error-response.ts';
import { forwardedHeaders } from '../exchange/upstream/headers.ts';
import type { AttemptPlan } from '../exchange/upstream-attempts.ts';
import type { RoutableModel, Route, RouteTable } from '../shared/catalogue/route-table.ts';
import { apiErrors } from '../shared/errors/api-error.ts';
import {
  type AuthenticatedKey,
  keyOf,
  type TollgateRequest,
  type TollgateResponse,
} from '../shared/request/request-context.ts';
import { pausesFor } from '../shared/scheduling.ts';
import { requireJson } from './generate/read-request.ts';
import { quoteFor } from './quote/quote.ts';
import { affinityOf, findModel, orderRoutes, requireEmbeddingModel } from './routing/find-routes.ts';

/** An embeddings endpoint. */
export interface EmbeddingsEndpoint {
  parse: (body: Buffer) => EmbeddingsResult;
  /** Its status for an insufficient balance. */
  insufficientStatus: 400 | 402;
}

/**
 * Plans a call that creates embeddings: reads the request, finds its model, and what it may cost.
 *
 * @throws ApiError that names the field
 */
export async function planEmbeddings(
  { parse, insufficientStatus }: EmbeddingsEndpoint,
  currentTable: () => RouteTable,
  req: TollgateRequest,
  { locals: { context, body } }: TollgateResponse,
): Promise<PlannedCall> {
  const key = keyOf(context);
  requireJson(req.headers['content-type']);
  const pause = pausesFor(body.length);
  await pause();
  const result = parse(body);
  await pause();
  if (!result.ok) throw apiErrors.invalidField(result.error.message);
  const { request } = result;
  const { entry, inputTokens } = checkRequest(request, currentTable(), key);
  return {
    entry,
    clientModel: request.model,
    operation: 'embeddings',
    protocolIn: request.protocol,
    streamed: false,
    countInput: () => countInput(request),
    cost: quoteFor(context, entry, [], {
      inputTokens,
      images: 0,
      outputTokens: 0,
      extraOutputTokens: 0,
      choices: 1,
      isLimitFixed: true,
      minOutputTokens: 0,
    }),
    insufficientStatus,
    attempts: () => {
      const { warnings } = forwardedHeaders(req.headers, 'openai-chat');
      const adapters = createRequestAdapters(request, entry);
      return orderRoutes(entry, () => affinityOf(key.accountId, request.prompt)).flatMap(
        (route) => planAttempt(request, route, adapters, warnings) ?? [],
      );
    },
  };
}

/** Estimates the input's tokens, for an upstream that reports no usage. Input sent as tokens is counted exactly. */
async function countInput({ canonical }: ClientEmbeddings): Promise<number> {
  const count = await loadCounter();
  return tokensOf(canonical) + (await count(requestTexts(canonical).join('\n')));
}

/** The attempt at one deployment; undefined when the request cannot be expressed for it. */
function planAttempt(
  request: ClientEmbeddings,
  route: Route,
  adapters: RequestAdapters,
  warnings: readonly string[],
): AttemptPlan | undefined {
  const adapter = adapters.forRoute(route);
  if (adapter === undefined) return undefined;
  return {
    route,
    path: adapter.path,
    body: () => adapter.body,
    headers: {},
    options: [],
    response: (context) => ({
      kind: 'buffered',
      transformer: request.responseTransformer(adapter.protocol, context),
      warnings: [...warnings, ...adapter.warnings.map(({ message }) => message)],
      errorReader: {
        read: readUpstreamError,
        clientMessage: (error) => {
          const message = clientMessage(error, request.protocol, adapter.protocol);
          return withClientModel(message, route.deployment.upstreamModel, request.model);
        },
      },
    }),
  };
}

/** Names the field only where the upstream has the client's protocol: others call it differently. */
function clientMessage({ message, param }: UpstreamError, client: string, upstream: EmbeddingsProtocol): string {
  const text = message === '' ? 'The provider of this model refused the request.' : message;
  return param === '' || client !== upstream || text.includes(param) ? text : `${param}: ${text}`;
}

/**
 * Checks a parsed request against the catalogue: the model and its purpose, and bounds its input tokens. Throws an ApiError that names the field.
 */
function checkRequest(
  request: ClientEmbeddings,
  table: RouteTable,
  key: AuthenticatedKey,
): { entry: RoutableModel; inputTokens: number } {
  const entry = findModel(request.model, table, key);
  requireEmbeddingModel(entry, request.model);
  const { model } = entry;
  const inputTokens = request.bound({
    tokensPerRequest: Number(model.tokensPerRequest),
    tokensPerMessage: Number(model.tokensPerMessage),
    maxTokensPerImage: 0,
    maxOutputTokens: 0,
    contextWindow: Number(model.contextWindow),
  });
  return { entry, inputTokens };
}

/** An embeddings request in the protocol of a deployment. */
export type RequestAdapter = Extract<UpstreamEmbeddings, { ok: true }> & { protocol: EmbeddingsProtocol };

/** The adapters of one request, by deployment. */
export interface RequestAdapters {
  /** Undefined when the request cannot be expressed for that deployment. */
  forRoute(route: Route): RequestAdapter | undefined;
}

/**
 * Creates the adapters of a request, each when it is first needed.
 *
 * @throws ApiError that names the field when no deployment can take the request
 */
export function createRequestAdapters(request: ClientEmbeddings, entry: RoutableModel): RequestAdapters {
  const encoded = new Map<string, UpstreamEmbeddings>();
  const encode = (protocol: EmbeddingsProtocol, { deployment }: Route): UpstreamEmbeddings => {
    const key = `${protocol} ${deployment.upstreamModel}`;
    const result = encoded.get(key) ?? request.upstreamRequest(protocol, deployment.upstreamModel);
    encoded.set(key, result);
    return result;
  };
  requireOne(entry, encode);
  return {
    forRoute: (route) => {
      const protocol = embeddingsProtocolOf(route);
      const result = protocol === undefined ? undefined : encode(protocol, route);
      return protocol === undefined || !result?.ok ? undefined : { ...result, protocol };
    },
  };
}

function requireOne(
  { routes }: RoutableModel,
  encode: (protocol: EmbeddingsProtocol, route: Route) => UpstreamEmbeddings,
): void {
  let problem: string | undefined;
  for (const route of routes) {
    const protocol = embeddingsProtocolOf(route);
    if (protocol === undefined || !route.deployment.inRotation) continue;
    const result = encode(protocol, route);
    if (result.ok) return;
    problem ??= result.error.message;
  }
  if (problem !== undefined) throw apiErrors.invalidField(problem);
}

/** The embeddings protocol of a route's provider; undefined where it has none. */
export function embeddingsProtocolOf({ provider }: Route): EmbeddingsProtocol | undefined {
  switch (provider.protocol) {
    case Protocol.OPENAI_CHAT:
    case Protocol.OPENAI_RESPONSES:
      return 'openai-embeddings';
    case Protocol.GEMINI:
      return 'gemini-embeddings';
    case Protocol.ANTHROPIC_MESSAGES:
    case Protocol.UNSPECIFIED:
      return undefined;
    default:
      return provider.protocol satisfies never;
  }
}
