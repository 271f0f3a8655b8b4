import type { Dispatch, PolicyResult } from './protocol.ts';

/** Searches of the web, and fetches of pages. */
export type WebToolKind = 'search' | 'fetch';

/** Tools that a provider runs to answer a request: web tools, and searches among the request's own tools. */
export type HostedToolKind = WebToolKind | 'tool_search';

export const WEB_TOOL_KINDS = ['search', 'fetch'] as const satisfies readonly WebToolKind[];
export const HOSTED_TOOL_KINDS = [...WEB_TOOL_KINDS, 'tool_search'] as const satisfies readonly HostedToolKind[];

/** Their names in warnings. */
export const HOSTED_TOOL_NAMES: Readonly<Record<HostedToolKind, string>> = {
  search: 'web search',
  fetch: 'web fetch',
  tool_search: 'tool search',
};

/** How often a provider may use them for a request. A kind that is absent is not passed on. */
export type HostedUses = Readonly<Partial<Record<HostedToolKind, number>>>;

/** No tool is passed on. */
export const NO_HOSTED_USES: HostedUses = {};

/** The hosted tools that a request declares. */
export interface RequestedHostedTools {
  /** The client's limits on uses; undefined for a kind without one. */
  readonly limits: ReadonlyMap<HostedToolKind, number | undefined>;
  /** Whether the protocol has a field that limits the uses. Without one a tool is passed on as it is, or not at all. */
  readonly canLimit: boolean;
  /** The name of that field, for warnings. */
  readonly limitField: string;
  /** The result of all policies if these uses are allowed. Without any it is the request's own. */
  policy(allowed: HostedUses): PolicyResult;
}

/** The uses that one deployment is sent: not every model has tool search, and some providers only with a beta. */
export function usesAt({ hostedUses, parameters, leftOut }: Dispatch): HostedUses | undefined {
  if (hostedUses?.tool_search === undefined) return hostedUses;
  if (parameters?.toolSearch !== false && leftOut?.includes(DEFERRAL) !== true) return hostedUses;
  const { tool_search: _, ...others } = hostedUses;
  return others;
}

/** The field of tools that only a tool search loads. */
const DEFERRAL = 'tools[].defer_loading';

/**
 * Why a tool that the provider runs is not passed on. Web tools are to models with a price for them, and tool search is to
 * models that have it.
 */
export function reasonToLeaveOut(kind: HostedToolKind | undefined): string {
  if (kind === undefined) return 'tools run by the provider are not supported';
  const rest = kind === 'tool_search' ? ', which gets all tools at once' : '';
  return `${HOSTED_TOOL_NAMES[kind]} is not available for this model${rest}`;
}

/** Warnings for uses that are fewer than the request asks for. */
export function loweredUses({ limits, limitField }: RequestedHostedTools, allowed: HostedUses): string[] {
  return HOSTED_TOOL_KINDS.flatMap((kind) => {
    const asked = limits.get(kind);
    const uses = allowed[kind];
    return asked === undefined || uses === undefined || uses >= asked ? [] : [`${limitField}: lowered to ${uses}`];
  });
}
