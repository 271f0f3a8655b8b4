import {
  HOSTED_TOOL_KINDS,
  type HostedToolKind,
  type HostedUses,
  WEB_TOOL_KINDS,
} from '@tollgate/protocols/interface/hosted-tools';

/** What tools run by the provider can use at most. */
export interface HostedTerms {
  /** The uses that the request asks for, or the model's default where the client set no limit. */
  readonly uses: HostedUses;
  /** Searches that the provider may run without being asked to. */
  readonly ownSearches: number;
  /** Whether the uses can be lowered; without, the tools are left out where they cannot be paid for. */
  readonly canLimit: boolean;
  /** Whether the request must use them, so that they cannot be left out. */
  readonly isForced: boolean;
  readonly contextWindow: number;
  /** Maximum tokens that a use adds to the prompt. */
  readonly tokensPerUse: number;
  /** Whether all searches of a request are billed as one. */
  readonly billedPerRequest: boolean;
}

/** The uses with at most `max` of each kind that can be limited; none for 0. */
export function limitUses({ uses }: HostedTerms, max: number): HostedUses {
  const kinds = HOSTED_TOOL_KINDS.filter((kind) => uses[kind] !== undefined && max > 0);
  const limited = (kind: HostedToolKind, asked = 0) => (kind === 'tool_search' ? asked : Math.min(asked, max));
  return Object.fromEntries(kinds.map((kind) => [kind, limited(kind, uses[kind])]));
}

/** The numbers of uses that can be sent, most first. */
export function possibleUses({ uses, canLimit, isForced }: HostedTerms): number[] {
  const most = Math.max(...HOSTED_TOOL_KINDS.map((kind) => uses[kind] ?? 0));
  const least = isForced ? 1 : 0;
  if (!canLimit) return isForced ? [most] : [most, 0];
  return Array.from({ length: most - least + 1 }, (_, index) => most - index);
}

/**
 * Maximum input tokens of a request with these uses. After each use the provider gives the model the whole conversation
 * again, longer by what was found and by what the model has written, up to the context window; once more for a use of the web
 * beyond the limit, which fails.
 */
export function inputTokensWithUses(
  { ownSearches, contextWindow, tokensPerUse }: HostedTerms,
  uses: HostedUses,
  prompt: { readonly inputTokens: number; readonly outputTokens: number },
): number {
  const asked = WEB_TOOL_KINDS.reduce((sum, kind) => sum + (uses[kind] ?? 0), 0);
  const turns = ownSearches + asked + (asked > 0 ? 1 : 0) + (uses.tool_search ?? 0);
  if (turns === 0) return prompt.inputTokens;
  // Images can make the bound of a prompt longer than the window.
  const longest = Math.max(contextWindow, prompt.inputTokens);
  const first = prompt.inputTokens + prompt.outputTokens;
  const growing = Math.min(turns, Math.max(0, Math.floor((longest - first) / tokensPerUse)));
  const grown = growing * first + (tokensPerUse * growing * (growing + 1)) / 2;
  return prompt.inputTokens + grown + (turns - growing) * longest;
}

/** Searches that are billed at most. */
export function billedSearches({ ownSearches, billedPerRequest }: HostedTerms, uses: HostedUses): number {
  const searches = ownSearches + (uses.search ?? 0);
  return billedPerRequest ? Math.min(searches, 1) : searches;
}
