import type { UpstreamError } from '@tollgate/protocols/interface/errors';
import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import type { Dependencies } from '../dependencies.ts';
import { BufferedResponse } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { responseContextOf } from '../exchange/response-context.ts';
import type { AttemptPlan } from '../exchange/upstream-attempts.ts';
import { createStoreItems, type StoreItems, storingResponse, storingStream } from '../items/store-items.ts';
import type { Route } from '../model-routing/route-table.ts';
import { type Pause, runStages } from '../scheduling/stages.ts';
import type { ForwardedHeaders } from '../upstream/client-headers.ts';
import { withClientModel } from '../upstream/error-response.ts';
import type { RequestAdapter } from './request-adapter.ts';
import type { RequestAdapters } from './request-adapters.ts';
import { StreamRelay } from './stream-relay.ts';

export interface GenerationCall {
  request: ClientRequest;
  adapters: RequestAdapters;
  /** The output limit to send; undefined leaves the client's. */
  outputTokens: number | undefined;
  /** Sent to the client whichever deployment is called. */
  warnings: readonly string[];
  headers: ForwardedHeaders;
  pause: Pause;
}

/** Plans the attempts of a generation call: what each sends, and what receives its response. */
export function createAttemptPlan(
  deps: Dependencies,
  exchange: Exchange,
  { request, adapters, outputTokens, warnings, headers, pause }: GenerationCall,
): AttemptPlan {
  const adapterFor = (route: Route): RequestAdapter => {
    const adapter = adapters.forRoute(route);
    if (adapter === undefined) throw new Error(`${route.deployment.deploymentId} cannot take the request`);
    return adapter;
  };
  return {
    serves: (route) => adapters.forRoute(route) !== undefined,
    path: (route) => adapterFor(route).protocol.upstream.path(route.deployment.upstreamModel, request.isStream),
    body: (route) =>
      runStages(adapterFor(route).body({ upstreamModel: route.deployment.upstreamModel, outputTokens }), pause),
    headers: (route) => headers.to(adapterFor(route).protocol.name),
    receive: (attempt) => {
      const adapter = adapterFor(attempt.route);
      const context = responseContextOf(exchange);
      const { upstreamModel } = attempt.route.deployment;
      const shared = {
        warnings: [...warnings, ...adapter.warnings],
        errorReader: {
          read: (body: Buffer) => adapter.protocol.upstream.readError(body),
          clientMessage: (error: UpstreamError) =>
            withClientModel(adapter.clientMessage(error), upstreamModel, exchange.clientModel),
        },
      };
      const store = storeItemsOf(deps, exchange, request);
      if (request.isStream) {
        const stream = adapter.streamTransformer(context);
        const transformer = store === undefined ? stream : storingStream(stream, store);
        return new StreamRelay(deps, exchange, attempt, { ...shared, request, transformer });
      }
      const response = adapter.responseTransformer(context);
      const transformer = store === undefined ? response : storingResponse(response, store);
      return new BufferedResponse(deps, exchange, attempt, { ...shared, transformer });
    },
  };
}

function storeItemsOf(
  { items, logger }: Dependencies,
  { key }: Exchange,
  request: ClientRequest,
): StoreItems | undefined {
  if (items === undefined || request.keepsItems !== true) return undefined;
  return createStoreItems(items, key.accountId, logger);
}
