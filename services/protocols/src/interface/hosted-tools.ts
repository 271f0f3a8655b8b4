import type { PolicyResult } from './protocol.ts';

/** Tools that a provider runs to answer a request: searches of the web, and fetches of pages. */
export type HostedToolKind = 'search' | 'fetch';

export const HOSTED_TOOL_KINDS = ['search', 'fetch'] as const satisfies readonly HostedToolKind[];

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
  /** The result of all policies if these uses are allowed. Without any it is that of the request. */
  policy(allowed: HostedUses): PolicyResult;
}

/** Why a tool that the provider runs is not passed on. Hosted tools are, where the model has a price for them. */
export function reasonToLeaveOut(kind: HostedToolKind | undefined): string {
  return kind === undefined
    ? 'tools run by the provider are not supported'
    : `web ${kind} is not available for this model`;
}

/** Warnings for uses that are fewer than the request asks for. */
export function loweredUses({ limits, limitField }: RequestedHostedTools, allowed: HostedUses): string[] {
  return HOSTED_TOOL_KINDS.flatMap((kind) => {
    const asked = limits.get(kind);
    const uses = allowed[kind];
    return asked === undefined || uses === undefined || uses >= asked ? [] : [`${limitField}: lowered to ${uses}`];
  });
}
