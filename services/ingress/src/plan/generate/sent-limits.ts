import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import {
  HOSTED_TOOL_KINDS,
  HOSTED_TOOL_NAMES,
  type HostedToolKind,
  type HostedUses,
  loweredUses,
  WEB_TOOL_KINDS,
  type WebToolKind,
} from '@tollgate/protocols/interface/hosted-tools';
import type { ClientRequest, PolicyResult } from '@tollgate/protocols/interface/protocol';
import type { GrantedHold } from '../../exchange/take-hold.ts';
import { priceAt } from '../../shared/catalogue/price-sheet.ts';
import type { RoutableModel } from '../../shared/catalogue/route-table.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';
import type { HostedTerms } from '../quote/hosted-bound.ts';

/** The output limit to send instead of the client's. */
export interface SentOutputLimit {
  /** Undefined leaves the client's limit. */
  tokens: number | undefined;
  /** For the client, where its own limit was lowered. */
  warnings: string[];
}

/** The model's maximum where the client's limit exceeds it; undefined leaves the client's limit. */
export function modelOutputLimit({ outputLimit }: ClientRequest, { facts }: RoutableModel): number | undefined {
  const max = facts.maxOutputTokens;
  return outputLimit.tokens !== undefined && outputLimit.tokens > max ? max : undefined;
}

/** The output limit to send: what the hold pays for, or the model's maximum. */
export function outputLimitToSend(
  request: ClientRequest,
  entry: RoutableModel,
  { outputTokens: affordable, atLargestCharge }: GrantedHold,
  key: AuthenticatedKey,
): SentOutputLimit {
  const { tokens: requested, field } = request.outputLimit;
  if (affordable !== undefined) {
    const warning = `${field}: lowered to ${affordable}, which is what ${payerOf(atLargestCharge, key)} for`;
    return { tokens: affordable, warnings: requested === undefined ? [] : [warning] };
  }
  const tokens = modelOutputLimit(request, entry);
  return {
    tokens,
    warnings: tokens === undefined ? [] : [`${field}: lowered to ${tokens}, the maximum of this model`],
  };
}

/** What limits the output, for the warning. */
function payerOf(
  atLargestCharge: boolean,
  { caps, nodes, session }: Pick<AuthenticatedKey, 'caps' | 'nodes' | 'session'>,
): string {
  if (atLargestCharge) return 'the maximum cost of one request pays';
  if (session !== undefined) return "the balance and the session's limit pay";
  const isCapped = caps !== undefined || nodes.some((node) => node.caps !== undefined);
  return isCapped ? "the balance and the key's spending caps pay" : 'the balance pays';
}

/** The most uses of a request, and the uses where neither the request nor the model's entry says how many. */
const MAX_USES = 1_000;
const DEFAULT_USES = 5;

/** What a search for tools adds to the prompt: the names of those that it finds, whose definitions the request has. */
const TOKENS_PER_TOOL_SEARCH = 1_000;

/**
 * The hosted tools of a request that may be passed on to a model with a deployment of the client's protocol: web tools
 * with a price at that time, and tool search; and the searches that the provider may run without being asked to. Undefined if
 * there are none.
 *
 * @param startedAtMs when the request started; Unix milliseconds
 */
export function hostedTermsOf(
  request: ClientRequest,
  client: ProtocolName,
  entry: RoutableModel,
  startedAtMs: number,
): HostedTerms | undefined {
  const { hostedTools } = request;
  const settings = entry.model.webTools;
  const ownSearches = settings?.maxOwnSearches ?? 0;
  if (hostedTools === undefined && ownSearches === 0) return undefined;
  const uses = askedUses(request, client, entry, startedAtMs);
  const { contextWindow } = entry.facts;
  const isAsked = hostedTools !== undefined && Object.keys(uses).length > 0;
  if (!isAsked && ownSearches === 0) return undefined;
  const usesWeb = WEB_TOOL_KINDS.some((kind) => uses[kind] !== undefined);
  return {
    uses,
    ownSearches,
    canLimit: usesWeb && hostedTools?.canLimit === true,
    isForced: isAsked && request.policy.errors.length > hostedTools.policy(uses).errors.length,
    contextWindow,
    tokensPerUse: usesWeb || ownSearches > 0 ? tokensPerWebUse(entry) : TOKENS_PER_TOOL_SEARCH,
    billedPerRequest: settings?.billedPerRequest ?? false,
  };
}

/** The uses that a request asks for, and that have a price where they need one. */
function askedUses(
  { hostedTools }: ClientRequest,
  client: ProtocolName,
  entry: RoutableModel,
  startedAtMs: number,
): Partial<Record<HostedToolKind, number>> {
  const uses: Partial<Record<HostedToolKind, number>> = {};
  const own = entry.healthy.filter(({ protocol }) => protocol === client);
  if (hostedTools === undefined || own.length === 0) return uses;
  if (hostedTools.limits.has('tool_search') && own.some(({ parameters }) => parameters.toolSearch !== false)) {
    uses.tool_search = DEFAULT_USES;
  }
  const { webTools: isPriced } = priceAt(entry.prices, startedAtMs);
  for (const kind of WEB_TOOL_KINDS) {
    if (!hostedTools.limits.has(kind) || !isPriced[kind]) continue;
    uses[kind] = Math.min(hostedTools.limits.get(kind) ?? defaultUses(kind, entry), MAX_USES);
  }
  return uses;
}

/** The result of a request's policies if these uses of its hosted tools are allowed. */
export function policyWith(request: ClientRequest, uses: HostedUses | undefined): PolicyResult {
  return uses === undefined ? request.policy : (request.hostedTools?.policy(uses) ?? request.policy);
}

/** Warnings for uses that the balance does not pay for. */
export function usesWarnings(
  { hostedTools }: ClientRequest,
  asked: HostedTerms | undefined,
  paid: HostedUses,
): string[] {
  if (hostedTools === undefined || asked === undefined) return [];
  const left = HOSTED_TOOL_KINDS.filter((kind) => asked.uses[kind] !== undefined && paid[kind] === undefined);
  const reasons = left.map((kind) => `${HOSTED_TOOL_NAMES[kind]}: left out, since the balance does not pay for one`);
  return [...loweredUses(hostedTools, paid), ...reasons];
}

function defaultUses(kind: WebToolKind, { model: { webTools } }: RoutableModel): number {
  const uses = kind === 'search' ? webTools?.maxSearches : webTools?.maxFetches;
  return uses === undefined || uses === 0 ? DEFAULT_USES : uses;
}

function tokensPerWebUse({ model: { webTools }, facts: { contextWindow } }: RoutableModel): number {
  const tokens = Number(webTools?.maxTokensPerUse ?? 0);
  return tokens === 0 ? contextWindow : tokens;
}
