import type { ClientEmbeddings, EmbeddingsProtocol } from '@tollgate/protocols/embeddings/index';
import { readUpstreamError, type UpstreamError } from '@tollgate/protocols/interface/errors';
import { BufferedResponse, type ReceiverDependencies } from '../../exchange/buffered-response.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { responseContextOf } from '../../exchange/response-receiver.ts';
import { withClientModel } from '../../exchange/upstream/error-response.ts';
import type { AttemptPlanner } from '../../exchange/upstream-attempts.ts';
import type { RequestAdapters } from './request-adapters.ts';

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
