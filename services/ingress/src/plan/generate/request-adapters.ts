import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { HostedUses } from '@tollgate/protocols/interface/hosted-tools';
import type { ClientRequest, Dispatch, Protocol } from '@tollgate/protocols/interface/protocol';
import { protocolOf } from '@tollgate/protocols/registry';
import type { ForwardedHeaders } from '../../exchange/upstream/headers.ts';
import type { RoutableModel, Route } from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import type { Pause } from '../../shared/scheduling/stages.ts';
import { createRequestAdapter, type RequestAdapter } from './request-adapter.ts';

/** The limits to send instead of the client's. */
export interface SentLimits {
  /** Undefined leaves the client's. */
  outputTokens: number | undefined;
  /** The uses of hosted tools that the hold pays for; undefined for none. */
  hostedUses: HostedUses | undefined;
}

/** The changes to a request for a deployment. */
export function dispatchTo(
  { deployment: { upstreamModel }, provider, parameters, form }: Route,
  { outputTokens, hostedUses }: SentLimits,
  headers: ForwardedHeaders,
): Dispatch {
  return {
    upstreamModel,
    outputTokens,
    parameters,
    form,
    leftOut: headers.to(provider).leftOut,
    ...(hostedUses && { hostedUses }),
  };
}

/** What requests to all deployments are sent with. */
export interface SentWith {
  limits: SentLimits;
  headers: ForwardedHeaders;
  /** Pauses while a large request is processed. */
  pause: Pause;
}

/** The adapters of one request, by deployment. */
export interface RequestAdapters {
  /** Undefined when the request cannot be expressed for that deployment. */
  forRoute(route: Route): RequestAdapter | undefined;
}

/** Adapters, or why no deployment can take the request. */
export interface TriedAdapters extends RequestAdapters {
  /** Names the field; undefined if there is an adapter. */
  readonly problem: string | undefined;
}

/** For texts that encoders may add: that a tool failed, that JSON is required, that the user opens a conversation. */
const TRANSLATION_TOKENS = 256;

/**
 * Tokens that a translation may add to the prompt beyond the bound of the client's request; 0 where no deployment needs a
 * translation. Known before translating, so that no work is done for an account that cannot pay.
 */
export function translationAllowance(client: ProtocolName, { healthy }: RoutableModel): number {
  const isTranslated = healthy.some(({ protocol }) => protocol !== 'unspecified' && protocol !== client);
  return isTranslated ? TRANSLATION_TOKENS : 0;
}

/**
 * The smallest output limit that some deployment is sent: a smaller one of the client is raised, and must be paid for.
 */
export function smallestOutputLimit(client: ProtocolName, { healthy }: RoutableModel): number {
  let smallest = 1;
  for (const { protocol, parameters } of healthy) {
    if (protocol === 'unspecified') continue;
    const defaults = protocol === client ? undefined : protocolOf(protocol).upstream.defaultParameters;
    smallest = Math.max(smallest, parameters.minOutputTokens ?? defaults?.minOutputTokens ?? 1);
  }
  return smallest;
}

/**
 * Creates the adapters of a request: one for all deployments of a protocol that accept the same.
 *
 * @throws ApiError that names the field when no deployment can take the request
 */
export async function createRequestAdapters(
  client: Protocol,
  request: ClientRequest,
  entry: RoutableModel,
  sent: SentWith,
): Promise<RequestAdapters> {
  const tried = await tryRequestAdapters(client, request, entry, sent);
  if (tried.problem !== undefined) throw apiErrors.invalidField(tried.problem);
  return tried;
}

/** The same for callers that can do without an adapter. */
export async function tryRequestAdapters(
  client: Protocol,
  request: ClientRequest,
  { healthy, facts: { maxOutputTokens } }: RoutableModel,
  { limits, headers, pause }: SentWith,
): Promise<TriedAdapters> {
  const adapters = new Map<string, RequestAdapter>();
  let problem: string | undefined;
  for (const route of healthy) {
    const { protocol, adapterKey } = route;
    if (protocol === 'unspecified' || adapters.has(adapterKey)) continue;
    await pause();
    const dispatch = dispatchTo(route, limits, headers);
    const result = await createRequestAdapter(client, request, protocolOf(protocol), dispatch, maxOutputTokens, pause);
    if (result.kind === 'adapter') adapters.set(adapterKey, result.adapter);
    else problem ??= result.diagnostic.message;
  }
  await pause();
  return {
    problem: adapters.size === 0 ? problem : undefined,
    forRoute: ({ adapterKey }) => adapters.get(adapterKey),
  };
}
