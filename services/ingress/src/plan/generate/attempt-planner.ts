import type { UpstreamError } from '@tollgate/protocols/interface/errors';
import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import { BufferedResponse } from '../../exchange/buffered-response.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { responseContextOf } from '../../exchange/response-receiver.ts';
import { StreamRelay, type StreamRelayDependencies } from '../../exchange/stream-relay.ts';
import { withClientModel } from '../../exchange/upstream/error-response.ts';
import type { ForwardedHeaders } from '../../exchange/upstream/headers.ts';
import type { AttemptPlanner } from '../../exchange/upstream-attempts.ts';
import type { Pause } from '../../shared/scheduling/stages.ts';
import type { ItemStore } from '../items/item-store.ts';
import { createStoreItems, type StoreItems, storingResponse, storingStream } from '../items/response-items.ts';
import { dispatchTo, type RequestAdapters, type SentLimits } from './request-adapters.ts';

interface PlanDependencies extends StreamRelayDependencies {
  items: ItemStore | undefined;
}

export interface GenerationCall {
  request: ClientRequest;
  adapters: RequestAdapters;
  limits: SentLimits;
  /** Sent to the client whichever deployment is called. */
  warnings: readonly string[];
  headers: ForwardedHeaders;
  pause: Pause;
}

/** Plans the attempts of a generation call. */
export function createAttemptPlanner(
  deps: PlanDependencies,
  exchange: Exchange,
  { request, adapters, limits, warnings, headers, pause }: GenerationCall,
): AttemptPlanner {
  return (route) => {
    const adapter = adapters.forRoute(route);
    if (adapter === undefined) return undefined;
    const { upstreamModel } = route.deployment;
    const forwarded = headers.to(route.provider);
    return {
      path: request.passthroughPath ?? adapter.protocol.upstream.path(upstreamModel, request.isStream, route.form),
      body: () => adapter.body(dispatchTo(route, limits, headers), pause),
      headers: forwarded.headers,
      options:
        forwarded.leftOut.length === 0
          ? adapter.options
          : adapter.options.filter(({ path }) => !forwarded.leftOut.includes(path)),
      cacheLifetime: adapter.cacheLifetime,
      receive: (attempt) => {
        const context = responseContextOf(exchange, attempt);
        const shared = {
          warnings: [...warnings, ...forwarded.warnings, ...adapter.warnings],
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
  };
}

function storeItemsOf(
  { items, logger }: PlanDependencies,
  { key }: Exchange,
  request: ClientRequest,
): StoreItems | undefined {
  if (items === undefined || request.keepsItems !== true) return undefined;
  return createStoreItems(items, key.accountId, logger);
}
