import type { Logger } from '@tollgate/common/logging';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { UpstreamError } from '@tollgate/protocols/interface/errors';
import type { ClientRequest, Protocol } from '@tollgate/protocols/interface/protocol';
import type { PlannedCall } from '../../exchange/exchanges.ts';
import type { GrantedHold } from '../../exchange/take-hold.ts';
import { withClientModel } from '../../exchange/upstream/error-response.ts';
import { type ForwardedHeaders, forwardedHeaders } from '../../exchange/upstream/headers.ts';
import type { AttemptPlan } from '../../exchange/upstream-attempts.ts';
import type { Route, RouteTable } from '../../shared/catalogue/route-table.ts';
import {
  type AuthenticatedKey,
  keyOf,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import type { ItemStore } from '../items/item-store.ts';
import { createStoreItems, type StoreItems, storingResponse, storingStream } from '../items/response-items.ts';
import { quoteFor } from '../quote/quote.ts';
import { affinityOf, orderRoutes } from '../routing/find-routes.ts';
import { type CheckedRequest, checkRequest } from './check-request.ts';
import { countInput } from './count-tokens.ts';
import type { ReadRequest } from './read-request.ts';
import {
  createRequestAdapters,
  dispatchTo,
  type RequestAdapters,
  type SentLimits,
  smallestOutputLimit,
  translationAllowance,
} from './request-adapters.ts';
import { outputLimitToSend, policyWith, usesWarnings } from './sent-limits.ts';

/** The protocol whose clients must set an output limit: one beyond the balance is lowered, and an error in the others. */
const REQUIRES_OUTPUT_LIMIT: ProtocolName = 'anthropic-messages';
/** Minimum output tokens that are worth a call if the balance sets the limit. */
const MIN_OUTPUT_TOKENS = 16;

export interface GenerationDependencies {
  /** Undefined without a store. */
  items: ItemStore | undefined;
  logger: Logger;
}

/** A generation endpoint of a client protocol. */
export interface GenerationEndpoint {
  protocol: Protocol;
  /** Its status for an insufficient balance. */
  insufficientStatus: 400 | 402;
}

/** What is sent to every deployment. */
interface Sent {
  limits: SentLimits;
  headers: ForwardedHeaders;
  /** For the client, whichever deployment is called. */
  warnings: readonly string[];
}

/**
 * Plans a call that generates: finds the model of a request that was read, and what it may cost.
 *
 * @throws ApiError that names the field that its model does not accept
 */
export function planGeneration(
  deps: GenerationDependencies,
  { protocol, insufficientStatus }: GenerationEndpoint,
  { request, pause }: ReadRequest,
  table: RouteTable,
  req: TollgateRequest,
  { locals: { context } }: TollgateResponse,
): PlannedCall {
  const { name } = protocol;
  const key = keyOf(context);
  const checked = checkRequest(request, name, table, context);
  const { entry, bound, hosted } = checked;
  const headers = forwardedHeaders(req.headers, name);
  const smallest = smallestOutputLimit(name, entry);
  const mayLower = bound.requestedOutputTokens === undefined || name === REQUIRES_OUTPUT_LIMIT;
  return {
    entry,
    clientModel: request.model,
    operation: 'chat',
    protocolIn: name,
    streamed: request.isStream,
    countInput: () => countInput(request),
    cost: quoteFor(context, entry, request.policy.options, {
      inputTokens: bound.inputTokens + translationAllowance(name, entry),
      images: bound.images,
      hosted,
      outputTokens: Math.max(bound.outputTokensPerChoice, smallest),
      extraOutputTokens: bound.extraOutputTokens,
      choices: bound.choices,
      isLimitFixed: request.isUnlimited === true || !mayLower,
      minOutputTokens: Math.max(MIN_OUTPUT_TOKENS, smallest),
    }),
    insufficientStatus,
    errorStream: request,
    attempts: async (granted) => {
      const sent = sentWith(request, checked, granted, key, headers);
      // Only once the credit is held, because translating is most of the work. An error releases the hold.
      const adapters = await createRequestAdapters(protocol, request, entry, { ...sent, pause });
      const store = storeItemsOf(deps, key, request);
      const planFor = (route: Route) => planAttempt(request, route, adapters, sent, store, pause);
      return orderRoutes(entry, () => affinityOf(key.accountId, request.prompt)).flatMap(
        (route) => planFor(route) ?? [],
      );
    },
  };
}

/** What is sent with what the hold pays for. */
function sentWith(
  request: ClientRequest,
  { entry, hosted }: CheckedRequest,
  granted: GrantedHold,
  key: AuthenticatedKey,
  headers: ForwardedHeaders,
): Sent {
  const limit = outputLimitToSend(request, entry, granted, key);
  const hostedUses = hosted === undefined ? undefined : granted.hostedUses;
  return {
    limits: { outputTokens: limit.tokens, hostedUses },
    headers,
    warnings: [
      ...policyWith(request, hostedUses).warnings.map(({ message }) => message),
      ...usesWarnings(request, hosted, granted.hostedUses),
      ...headers.warnings,
      ...limit.warnings,
    ],
  };
}

/** The attempt at one deployment; undefined when the request cannot be expressed for it. */
function planAttempt(
  request: ClientRequest,
  route: Route,
  adapters: RequestAdapters,
  { limits, warnings, headers }: Sent,
  store: StoreItems | undefined,
  pause: ReadRequest['pause'],
): AttemptPlan | undefined {
  const adapter = adapters.forRoute(route);
  if (adapter === undefined) return undefined;
  const { upstreamModel } = route.deployment;
  const forwarded = headers.to(route.provider);
  return {
    route,
    path: request.passthroughPath ?? adapter.protocol.upstream.path(upstreamModel, request.isStream, route.form),
    body: () => adapter.body(dispatchTo(route, limits, headers), pause),
    headers: forwarded.headers,
    options:
      forwarded.leftOut.length === 0
        ? adapter.options
        : adapter.options.filter(({ path }) => !forwarded.leftOut.includes(path)),
    cacheLifetime: adapter.cacheLifetime,
    response: (context) => {
      const shared = {
        warnings: [...warnings, ...forwarded.warnings, ...adapter.warnings],
        errorReader: {
          read: (body: Buffer) => adapter.protocol.upstream.readError(body),
          clientMessage: (error: UpstreamError) =>
            withClientModel(adapter.clientMessage(error), upstreamModel, request.model),
        },
      };
      if (request.isStream) {
        const stream = adapter.streamTransformer(context);
        const transformer = store === undefined ? stream : storingStream(stream, store);
        return { kind: 'stream', ...shared, request, transformer };
      }
      const response = adapter.responseTransformer(context);
      const transformer = store === undefined ? response : storingResponse(response, store);
      return { kind: 'buffered', ...shared, transformer };
    },
  };
}

function storeItemsOf(
  { items, logger }: GenerationDependencies,
  { accountId }: AuthenticatedKey,
  request: ClientRequest,
): StoreItems | undefined {
  if (items === undefined || request.keepsItems !== true) return undefined;
  return createStoreItems(items, accountId, logger);
}
