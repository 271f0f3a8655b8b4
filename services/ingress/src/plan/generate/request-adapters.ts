import type { RequestedOption } from '@tollgate/protocols/canonical/price-options';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { KeptStops } from '@tollgate/protocols/canonical/stop-words';
import type { CacheWriteBucket } from '@tollgate/protocols/canonical/usage';
import type { UpstreamError } from '@tollgate/protocols/interface/errors';
import { type HostedUses, usesAt } from '@tollgate/protocols/interface/hosted-tools';
import type {
  ClientRequest,
  Dispatch,
  Protocol,
  ResponseContext,
  ResponseTransformer,
  StreamTransformer,
} from '@tollgate/protocols/interface/protocol';
import type { Stages } from '@tollgate/protocols/lists/stages';
import { protocolOf } from '@tollgate/protocols/registry';
import type { Diagnostic } from '@tollgate/protocols/request/diagnostics';
import { NO_ADJUSTMENTS } from '@tollgate/protocols/translate/adjustments';
import { translationStages } from '@tollgate/protocols/translate/request';
import { translatingResponseTransformer } from '@tollgate/protocols/translate/response';
import { TranslatingStreamTransformer } from '@tollgate/protocols/translate/stream';
import type { ForwardedHeaders } from '../../exchange/upstream/headers.ts';
import type { RoutableModel, Route } from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { type Pause, runStages } from '../../shared/scheduling.ts';
import { policyWith } from './sent-limits.ts';

/** Converts one request for upstreams of one protocol, and their responses for the client. */
export interface RequestAdapter {
  protocol: Protocol;
  /** What the request loses in the conversion. */
  warnings: readonly string[];
  /** What it chooses at another price, and the upstream is sent. */
  options: readonly RequestedOption[];
  /** The lifetime of what the upstream is asked to cache, for usage that does not tell; undefined: unknown. */
  cacheLifetime: CacheWriteBucket | undefined;
  /** A promise only where a large request is processed with pauses. */
  body(dispatch: Dispatch, pause: Pause): Buffer | Promise<Buffer>;
  responseTransformer(context: ResponseContext): ResponseTransformer;
  streamTransformer(context: ResponseContext): StreamTransformer;
  /** An upstream's error message for a request that it refused, with the client's name of the field. */
  clientMessage(error: UpstreamError): string;
}

type RequestAdapterResult =
  | { kind: 'adapter'; adapter: RequestAdapter }
  | { kind: 'unsupported'; diagnostic: Diagnostic };

/**
 * Creates the adapter of a request for upstreams of a protocol: passthrough where the client uses the same protocol,
 * otherwise a translation, which is unsupported where it would change the meaning.
 *
 * @param dispatch the expected changes to the request; the upstream's model name may still change
 * @param maxOutputTokens the model's maximum
 * @returns a promise only where a large request is translated with pauses
 */
function createRequestAdapter(
  client: Protocol,
  request: ClientRequest,
  upstream: Protocol,
  dispatch: Dispatch,
  maxOutputTokens: number,
  pause: Pause,
): RequestAdapterResult | Promise<RequestAdapterResult> {
  if (client.name === upstream.name) {
    const lost = lostAt(request, dispatch);
    const rejected = lost.error ?? request.rejection?.(dispatch);
    if (rejected !== undefined) return { kind: 'unsupported', diagnostic: rejected };
    return { kind: 'adapter', adapter: passthroughAdapter(request, upstream, dispatch, lost.warnings) };
  }
  return runStages(translationAdapter(request, upstream, dispatch, maxOutputTokens), pause);
}

/** What the policies find in addition where a deployment lacks a tool that the hold pays for. */
function lostAt(
  request: ClientRequest,
  dispatch: Dispatch,
): { error?: Diagnostic | undefined; warnings: readonly Diagnostic[] } {
  const uses = usesAt(dispatch);
  if (uses === dispatch.hostedUses) return { warnings: [] };
  const paid = new Set(policyWith(request, dispatch.hostedUses).warnings.map(({ message }) => message));
  const { errors, warnings } = policyWith(request, uses);
  return { error: errors[0], warnings: warnings.filter(({ message }) => !paid.has(message)) };
}

function passthroughAdapter(
  request: ClientRequest,
  upstream: Protocol,
  expected: Dispatch,
  lost: readonly Diagnostic[],
): RequestAdapter {
  const warnings = [...lost, ...(request.passthroughWarnings ?? []), ...request.adjustmentWarnings(expected)];
  const stops = request.keptStops?.(expected);
  const responses = stops === undefined ? request : responsesWithStops(request, upstream, stops);
  return {
    protocol: upstream,
    warnings: warnings.map(({ message }) => message),
    options: request.policy.options,
    cacheLifetime: request.policy.cacheLifetime,
    body: async (dispatch, pause) => {
      await pause();
      return request.editRequest(dispatch);
    },
    responseTransformer: (context) => responses.responseTransformer(context),
    streamTransformer: (context) => responses.streamTransformer(context),
    clientMessage: messageWithField,
  };
}

/** Only translated responses can end at a stop word, so these are translated into their own protocol. */
function responsesWithStops(
  request: ClientRequest,
  { upstream }: Protocol,
  stops: KeptStops,
): Pick<RequestAdapter, 'responseTransformer' | 'streamTransformer'> {
  const adjustments = { ...NO_ADJUSTMENTS, stops };
  return {
    responseTransformer: (context) => translatingResponseTransformer(request, upstream, adjustments, context),
    streamTransformer: (context) => new TranslatingStreamTransformer(request, upstream, adjustments, context),
  };
}

function* translationAdapter(
  request: ClientRequest,
  upstream: Protocol,
  expected: Dispatch,
  maxOutputTokens: number,
): Stages<RequestAdapterResult> {
  const { isStream } = request;
  // Only providers of the client's protocol get hosted tools.
  const [violation] = request.policy.errors;
  if (violation !== undefined) return { kind: 'unsupported', diagnostic: violation };
  const leftOut = expected.hostedUses === undefined ? [] : request.policy.warnings;
  const passed = new Set(policyWith(request, expected.hostedUses).warnings.map(({ message }) => message));
  const first = yield* translationStages(request, upstream.upstream, { ...expected, isStream, maxOutputTokens });
  const encode = (dispatch: Dispatch) =>
    translationStages(request, upstream.upstream, { ...dispatch, isStream, maxOutputTokens });
  if (!first.ok) return { kind: 'unsupported', diagnostic: first.error };
  const body = function* (dispatch: Dispatch): Stages<Buffer> {
    const isSame = dispatch.upstreamModel === expected.upstreamModel && dispatch.outputTokens === expected.outputTokens;
    const result = isSame ? first : yield* encode(dispatch);
    if (!result.ok) throw new Error(`the request can no longer be translated: ${result.error.path}`);
    yield;
    const text = JSON.stringify(result.json);
    yield;
    return Buffer.from(text);
  };
  return {
    kind: 'adapter',
    adapter: {
      protocol: upstream,
      warnings: [...leftOut, ...first.warnings].map(({ message }) => message).filter((text) => !passed.has(text)),
      options: first.options,
      cacheLifetime: undefined,
      body: (dispatch, pause) => runStages(body(dispatch), pause),
      responseTransformer: (context) => first.responseTransformer(context),
      streamTransformer: (context) => first.streamTransformer(context),
      clientMessage: (error) => first.clientMessage(error),
    },
  };
}

function messageWithField({ message, param }: UpstreamError): string {
  const text = message === '' ? 'The provider of this model refused the request.' : message;
  return param === '' || text.includes(param) ? text : `${param}: ${text}`;
}

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
