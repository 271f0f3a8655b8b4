import { newToken } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import type { ClientRequest, ResponseContext } from '@tollgate/protocols/protocol';
import type { Dependencies } from '../dependencies.ts';
import { chargedNanos } from '../exchange/charge.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { AttemptPlan } from '../exchange/upstream-attempts.ts';
import { createStoreItems, type StoreItems, storingResponse, storingStream } from '../items/store-items.ts';
import type { Route } from '../model-routing/route-table.ts';
import type { ForwardedHeaders } from '../upstream/client-headers.ts';
import { withClientModel } from '../upstream/error-response.ts';
import { type Pause, runStages } from './stages.ts';
import { StreamRelay } from './stream-relay.ts';
import type { Way } from './way.ts';
import type { Ways } from './ways.ts';
import { WholeAnswer } from './whole-answer.ts';

export interface Generation {
  request: ClientRequest;
  ways: Ways;
  /** The limit to send, where the balance binds. */
  outputTokens: number | undefined;
  /** What is told to the client whichever way its request goes. */
  warnings: readonly string[];
  headers: ForwardedHeaders;
  pause: Pause;
}

/** How each attempt of a generation call is made, and who takes its answer. */
export function planGeneration(deps: Dependencies, exchange: Exchange, generation: Generation): AttemptPlan {
  const { request, ways, outputTokens, headers } = generation;
  const wayOf = (route: Route): Way => {
    const way = ways.to(route);
    if (way === undefined) throw new Error(`there is no way to ${route.deployment.deploymentId}`);
    return way;
  };
  return {
    serves: (route) => ways.to(route) !== undefined,
    path: (route) => wayOf(route).upstream.upstream.path(route.deployment.upstreamModel, request.isStream),
    body: (route) =>
      runStages(wayOf(route).body({ upstreamModel: route.deployment.upstreamModel, outputTokens }), generation.pause),
    headers: (route) => headers.to(wayOf(route).upstream.name),
    receive: (attempt) => {
      const way = wayOf(attempt.route);
      const context = answerContextOf(exchange);
      const { upstreamModel } = attempt.route.deployment;
      const shared = {
        warnings: [...generation.warnings, ...way.warnings],
        refusals: {
          read: (body: Buffer) => way.upstream.upstream.readError(body),
          clientMessage: (error: Parameters<Way['clientMessage']>[0]) =>
            withClientModel(way.clientMessage(error), upstreamModel, exchange.clientModel),
        },
      };
      const keep = keeperOf(deps, exchange, request);
      if (request.isStream) {
        const stream = way.stream(context);
        const passage = keep === undefined ? stream : storingStream(stream, keep);
        return new StreamRelay(deps, exchange, attempt, { ...shared, request, passage });
      }
      const whole = way.whole(context);
      const passage = keep === undefined ? whole : storingResponse(whole, keep);
      return new WholeAnswer(deps, exchange, attempt, { ...shared, passage });
    },
  };
}

function keeperOf({ items, logger }: Dependencies, { key }: Exchange, request: ClientRequest): StoreItems | undefined {
  return items === undefined || request.keepsItems !== true
    ? undefined
    : createStoreItems(items, key.accountId, logger);
}

function answerContextOf(exchange: Exchange): ResponseContext {
  return {
    model: exchange.clientModel,
    created: Math.floor(exchange.context.startedAtMs / 1_000),
    now: () => Math.floor(Date.now() / 1_000),
    newId: newToken,
    costOf: (usage) => formatDollars(chargedNanos(exchange, usage)),
  };
}
