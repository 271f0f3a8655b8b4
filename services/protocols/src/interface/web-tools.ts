import type { PolicyResult } from './protocol.ts';

/** Tools that a provider runs to answer a request: searches of the web, and fetches of pages. */
export type WebToolKind = 'search' | 'fetch';

export const WEB_TOOL_KINDS = ['search', 'fetch'] as const satisfies readonly WebToolKind[];

/** How often a provider may use them for a request. A kind that is absent is not passed on. */
export type WebUses = Readonly<Partial<Record<WebToolKind, number>>>;

/** No tool is passed on. */
export const NO_WEB_USES: WebUses = {};

/** The web tools that a request declares. */
export interface RequestedWebTools {
  /** The client's limits on uses; undefined for a kind without one. */
  readonly limits: ReadonlyMap<WebToolKind, number | undefined>;
  /** Whether the protocol has a field that limits the uses. Without one a tool is passed on as it is, or not at all. */
  readonly canLimit: boolean;
  /** The name of that field, for warnings. */
  readonly limitField: string;
  /** The result of all policies if these uses are allowed. Without any it is that of the request. */
  policy(allowed: WebUses): PolicyResult;
}

/** Why a tool that the provider runs is not passed on. Web tools are, to models with a price for them. */
export function reasonToLeaveOut(kind: WebToolKind | undefined): string {
  return kind === undefined
    ? 'tools run by the provider are not supported'
    : `web ${kind} is not available for this model`;
}

/** Warnings for uses that are fewer than the request asks for. */
export function loweredUses({ limits, limitField }: RequestedWebTools, allowed: WebUses): string[] {
  return WEB_TOOL_KINDS.flatMap((kind) => {
    const asked = limits.get(kind);
    const uses = allowed[kind];
    return asked === undefined || uses === undefined || uses >= asked ? [] : [`${limitField}: lowered to ${uses}`];
  });
}
