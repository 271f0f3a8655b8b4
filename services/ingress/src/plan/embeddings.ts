import { Protocol } from '@tollgate/proto/router';
import type { ClientEmbeddings, EmbeddingsProtocol, UpstreamEmbeddings } from '@tollgate/protocols/embeddings/index';
import { readUpstreamError, type UpstreamError } from '@tollgate/protocols/interface/errors';
import { BufferedResponse, type ReceiverDependencies } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { responseContextOf } from '../exchange/response-receiver.ts';
import { withClientModel } from '../exchange/upstream/error-response.ts';
import type { AttemptPlanner } from '../exchange/upstream-attempts.ts';
import type { RoutableModel, Route, RouteTable } from '../shared/catalogue/route-table.ts';
import { apiErrors } from '../shared/errors/api-error.ts';
import type { AuthenticatedKey } from '../shared/request/request-context.ts';
import { findModel, requireEmbeddingModel } from './routing/find-model.ts';

export interface EmbeddingsCall {
  request: ClientEmbeddings;
  adapters: RequestAdapters;
  /** Sent to the client whichever deployment is called. */
  warnings: readonly string[];
}

/** Plans the attempts of an embeddings call. */
export function createAttemptPlanner(
  deps: ReceiverDependencies,
  exchange: Exchange,
  { request, adapters, warnings }: EmbeddingsCall,
): AttemptPlanner {
  return (route) => {
    const adapter = adapters.forRoute(route);
    if (adapter === undefined) return undefined;
    return {
      path: adapter.path,
      body: () => adapter.body,
      headers: {},
      options: [],
      receive: (attempt) =>
        new BufferedResponse(deps, exchange, attempt, {
          transformer: request.responseTransformer(adapter.protocol, responseContextOf(exchange, attempt)),
          warnings: [...warnings, ...adapter.warnings.map(({ message }) => message)],
          errorReader: {
            read: readUpstreamError,
            clientMessage: (error) => {
              const message = clientMessage(error, request.protocol, adapter.protocol);
              return withClientModel(message, route.deployment.upstreamModel, exchange.clientModel);
            },
          },
        }),
    };
  };
}

/** Names the field only where the upstream has the client's protocol: others call it differently. */
function clientMessage({ message, param }: UpstreamError, client: string, upstream: EmbeddingsProtocol): string {
  const text = message === '' ? 'The provider of this model refused the request.' : message;
  return param === '' || client !== upstream || text.includes(param) ? text : `${param}: ${text}`;
}

/** A request that its model accepts. */
export interface CheckedRequest {
  entry: RoutableModel;
  /** Maximum input tokens. */
  inputTokens: number;
}

/**
 * Checks a parsed request against the catalogue: the model and its purpose. Throws an ApiError that names the field.
 */
export function checkRequest(request: ClientEmbeddings, table: RouteTable, key: AuthenticatedKey): CheckedRequest {
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
