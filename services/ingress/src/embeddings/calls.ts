import type { ClientEmbeddings, EmbeddingsProtocol, UpstreamEmbeddings } from '@tollgate/protocols/embeddings/index';
import { apiErrors } from '../errors/api-error.ts';
import { sentence } from '../generate/sentence.ts';
import type { RoutableModel, Route } from '../model-routing/route-table.ts';
import { spokenAt } from './spoken.ts';

/** One client's call as it is made at a deployment. */
export type RouteCall = Extract<UpstreamEmbeddings, { ok: true }> & { spoken: EmbeddingsProtocol };

/** A client's call at each of its model's deployments. */
export interface RouteCalls {
  /** Undefined when it cannot be said to that deployment. */
  to(route: Route): RouteCall | undefined;
}

/**
 * Writes a client's call for the deployments of its model, each as it is first asked for.
 *
 * @throws ApiError naming the field when it can be said to none of them
 */
export function callsOf(request: ClientEmbeddings, entry: RoutableModel): RouteCalls {
  const written = new Map<string, UpstreamEmbeddings>();
  const write = (spoken: EmbeddingsProtocol, { deployment }: Route): UpstreamEmbeddings => {
    const name = `${spoken} ${deployment.upstreamModel}`;
    const call = written.get(name) ?? request.upstreamRequest(spoken, deployment.upstreamModel);
    written.set(name, call);
    return call;
  };
  requireOne(entry, write);
  return {
    to: (route) => {
      const spoken = spokenAt(route);
      const call = spoken === undefined ? undefined : write(spoken, route);
      return spoken === undefined || !call?.ok ? undefined : { ...call, spoken };
    },
  };
}

function requireOne(
  { routes }: RoutableModel,
  write: (spoken: EmbeddingsProtocol, route: Route) => UpstreamEmbeddings,
): void {
  let refusal: string | undefined;
  for (const route of routes) {
    const spoken = spokenAt(route);
    if (spoken === undefined || !route.deployment.inRotation) continue;
    const call = write(spoken, route);
    if (call.ok) return;
    refusal ??= call.error.message;
  }
  if (refusal !== undefined) throw apiErrors.invalidRequest(sentence(refusal));
}
