import { Protocol } from '@tollgate/proto/router';
import type { ClientEmbeddings, EmbeddingsProtocol, UpstreamEmbeddings } from '@tollgate/protocols/embeddings/index';
import type { RoutableModel, Route } from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';

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
