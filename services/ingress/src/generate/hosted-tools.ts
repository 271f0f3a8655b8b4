import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import {
  HOSTED_TOOL_KINDS,
  type HostedToolKind,
  type HostedUses,
  loweredUses,
} from '@tollgate/protocols/interface/hosted-tools';
import type { ClientRequest, PolicyResult } from '@tollgate/protocols/interface/protocol';
import type { RoutableModel } from '../model-routing/route-table.ts';
import type { HostedTerms } from '../pricing/hosted-bound.ts';
import { priceAt } from '../pricing/price-sheet.ts';

/** The most uses of a request, and of a model whose entry does not say. */
const MAX_USES = 1_000;
const DEFAULT_USES = 5;

/**
 * The hosted tools of a request that may be passed on: those with a price at that time, to a model with a deployment of the
 * client's protocol; and the searches that the provider may run without being asked to. Undefined if there are none.
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
  const perUse = Number(settings?.maxTokensPerUse ?? 0);
  return {
    uses,
    ownSearches,
    canLimit: isAsked && hostedTools.canLimit,
    isForced: isAsked && request.policy.errors.length > hostedTools.policy(uses).errors.length,
    contextWindow,
    tokensPerUse: perUse === 0 ? contextWindow : perUse,
    billedPerRequest: settings?.billedPerRequest ?? false,
  };
}

/** The uses that a request asks for and that have a price. */
function askedUses(
  { hostedTools }: ClientRequest,
  client: ProtocolName,
  entry: RoutableModel,
  startedAtMs: number,
): Partial<Record<HostedToolKind, number>> {
  const uses: Partial<Record<HostedToolKind, number>> = {};
  if (hostedTools === undefined || !hasDeploymentOf(client, entry)) return uses;
  const { webTools: isPriced } = priceAt(entry.prices, startedAtMs);
  for (const kind of HOSTED_TOOL_KINDS) {
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
  const reasons = left.map((kind) => `web ${kind}: left out, since the balance does not pay for one`);
  return [...loweredUses(hostedTools, paid), ...reasons];
}

function defaultUses(kind: HostedToolKind, { model: { webTools } }: RoutableModel): number {
  const uses = kind === 'search' ? webTools?.maxSearches : webTools?.maxFetches;
  return uses === undefined || uses === 0 ? DEFAULT_USES : uses;
}

function hasDeploymentOf(client: ProtocolName, { healthy }: RoutableModel): boolean {
  return healthy.some(({ protocol }) => protocol === client);
}
