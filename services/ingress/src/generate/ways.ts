import type { ClientRequest, Protocol } from '@tollgate/protocols/protocol';
import type { ProtocolName } from '@tollgate/protocols/protocol-name';
import { protocolOf } from '@tollgate/protocols/registry';
import type { Stages } from '@tollgate/protocols/stages';
import { apiErrors } from '../errors/api-error.ts';
import { protocolName, type RoutableModel, type Route } from '../model-routing/route-table.ts';
import { sentence } from './sentence.ts';
import { type Way, wayTo } from './way.ts';

/** The ways of one request to the deployments of its model. */
export interface Ways {
  /** Undefined when the request cannot be said to that deployment. */
  to(route: Route): Way | undefined;
}

/**
 * The output limit to send where the client's is beyond what the model generates; undefined leaves the client's.
 *
 * @param most tokens that the model generates at most
 */
export function limitOfModel({ outputLimit: { tokens } }: ClientRequest, most: number): number | undefined {
  return tokens !== undefined && tokens > most ? most : undefined;
}

/** What encoders may say in their own words: that a tool failed, that JSON is wanted, that the user opens a conversation. */
const TRANSLATION_TOKENS = 256;

/**
 * The tokens that a translation may add to the prompt beyond what the client's own bytes bound; 0 where no deployment
 * needs one. Known before anything is translated, so that no work is done for a request whose account cannot pay.
 */
export function translationAllowance(client: ProtocolName, { routes }: RoutableModel): number {
  const isTranslated = routes.some(({ provider, deployment }) => {
    const name = protocolName(provider.protocol);
    return deployment.inRotation && name !== 'unspecified' && name !== client;
  });
  return isTranslated ? TRANSLATION_TOKENS : 0;
}

/**
 * Finds the ways of a request, one for each protocol that its model's deployments speak, in stages (see runStages).
 *
 * @param outputTokens the output limit to send; undefined leaves the client's
 * @throws ApiError naming the field when the request cannot be said to any of them
 */
export function* waysOf(
  client: Protocol,
  request: ClientRequest,
  entry: RoutableModel,
  outputTokens: number | undefined,
): Stages<Ways> {
  const ways = new Map<ProtocolName, Way>();
  const most = Number(entry.model.maxOutputTokens);
  let refusal: string | undefined;
  for (const { provider, deployment } of entry.routes) {
    const name = protocolName(provider.protocol);
    if (name === 'unspecified' || !deployment.inRotation || ways.has(name)) continue;
    const dispatch = { upstreamModel: deployment.upstreamModel, outputTokens };
    yield;
    const result = yield* wayTo(client, request, protocolOf(name), dispatch, most);
    if (result.kind === 'way') ways.set(name, result.way);
    else refusal ??= result.refusal.message;
  }
  yield;
  if (ways.size === 0 && refusal !== undefined) throw apiErrors.invalidRequest(sentence(refusal));
  return {
    to: ({ provider }) => {
      const name = protocolName(provider.protocol);
      return name === 'unspecified' ? undefined : ways.get(name);
    },
  };
}
