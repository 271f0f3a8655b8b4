import type { ClientEmbeddings, EmbeddingsProtocol } from '@tollgate/protocols/embeddings/index';
import { readUpstreamError, type UpstreamError } from '@tollgate/protocols/interface/errors';
import type { Dependencies } from '../dependencies.ts';
import { BufferedResponse } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { responseContextOf } from '../exchange/response-context.ts';
import type { AttemptPlan } from '../exchange/upstream-attempts.ts';
import type { Route } from '../model-routing/route-table.ts';
import { withClientModel } from '../upstream/error-response.ts';
import type { RequestAdapter, RequestAdapters } from './request-adapters.ts';

export interface EmbeddingsCall {
  request: ClientEmbeddings;
  adapters: RequestAdapters;
  /** Sent to the client whichever deployment is called. */
  warnings: readonly string[];
}

/** Plans the attempts of an embeddings call: what each sends, and what receives its response. */
export function createAttemptPlan(
  deps: Dependencies,
  exchange: Exchange,
  { request, adapters, warnings }: EmbeddingsCall,
): AttemptPlan {
  const adapterFor = (route: Route): RequestAdapter => {
    const adapter = adapters.forRoute(route);
    if (adapter === undefined) throw new Error(`${route.deployment.deploymentId} cannot take the request`);
    return adapter;
  };
  return {
    serves: (route) => adapters.forRoute(route) !== undefined,
    path: (route) => adapterFor(route).path,
    body: (route) => adapterFor(route).body,
    headers: () => ({}),
    receive: (attempt) => {
      const adapter = adapterFor(attempt.route);
      const { upstreamModel } = attempt.route.deployment;
      return new BufferedResponse(deps, exchange, attempt, {
        transformer: request.responseTransformer(adapter.protocol, responseContextOf(exchange)),
        warnings: [...warnings, ...adapter.warnings.map(({ message }) => message)],
        errorReader: {
          read: readUpstreamError,
          clientMessage: (error) => {
            const message = clientMessage(error, request.protocol, adapter.protocol);
            return withClientModel(message, upstreamModel, exchange.clientModel);
          },
        },
      });
    },
  };
}

/** Names the field only where the upstream has the client's protocol: others call it differently. */
function clientMessage({ message, param }: UpstreamError, client: string, upstream: EmbeddingsProtocol): string {
  const text = message === '' ? 'The provider of this model refused the request.' : message;
  return param === '' || client !== upstream || text.includes(param) ? text : `${param}: ${text}`;
}
