import { newToken } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import type { ClientEmbeddings, EmbeddingsProtocol } from '@tollgate/protocols/embeddings/index';
import type { ResponseContext } from '@tollgate/protocols/protocol';
import { readUpstreamError, type UpstreamError } from '@tollgate/protocols/upstream-error';
import type { Dependencies } from '../dependencies.ts';
import { chargedNanos } from '../exchange/charge.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { AttemptPlan } from '../exchange/upstream-attempts.ts';
import { WholeAnswer } from '../generate/whole-answer.ts';
import type { Route } from '../model-routing/route-table.ts';
import { withClientModel } from '../upstream/error-response.ts';
import type { RouteCall, RouteCalls } from './calls.ts';

export interface PlannedEmbeddings {
  request: ClientEmbeddings;
  calls: RouteCalls;
  /** What is told to the client whichever deployment is called. */
  warnings: readonly string[];
}

/** How each attempt of an embeddings call is made, and who takes its answer. */
export function planEmbeddings(
  deps: Dependencies,
  exchange: Exchange,
  { request, calls, warnings }: PlannedEmbeddings,
): AttemptPlan {
  const mustCall = (route: Route): RouteCall => {
    const call = calls.to(route);
    if (call === undefined) throw new Error(`there is no way to ${route.deployment.deploymentId}`);
    return call;
  };
  return {
    serves: (route) => calls.to(route) !== undefined,
    path: (route) => mustCall(route).path,
    body: (route) => mustCall(route).body,
    headers: () => ({}),
    receive: (attempt) => {
      const call = mustCall(attempt.route);
      const { upstreamModel } = attempt.route.deployment;
      return new WholeAnswer(deps, exchange, attempt, {
        passage: request.responseTransformer(call.spoken, answerContextOf(exchange)),
        warnings: [...warnings, ...call.warnings.map((note) => note.message)],
        refusals: {
          read: readUpstreamError,
          clientMessage: (error) =>
            withClientModel(clientMessage(error, request.protocol, call.spoken), upstreamModel, exchange.clientModel),
        },
      });
    },
  };
}

function answerContextOf(exchange: Exchange): ResponseContext {
  return {
    model: exchange.clientModel,
    created: Math.floor(exchange.context.startedAtMs / 1_000),
    newId: newToken,
    costOf: (usage) => formatDollars(chargedNanos(exchange, usage)),
  };
}

/** An upstream of the other protocol has other names for fields, so its `param` would only mislead. */
function clientMessage({ message, param }: UpstreamError, client: string, upstream: EmbeddingsProtocol): string {
  const words = message === '' ? 'The provider of this model refused the request.' : message;
  return param === '' || client !== upstream || words.includes(param) ? words : `${param}: ${words}`;
}
