/** The result of checking a client's `anthropic-beta` header. */
export interface BetaChoice {
  /** In the client's order, without repeats. */
  readonly pass: readonly string[];
  readonly dropped: readonly { readonly beta: string; readonly reason: string }[];
  /** Fields that only dropped betas enable. */
  readonly leftOut: readonly string[];
}

const PROVIDER_RUN = 'tools run by the provider are not supported';
const STORED = "objects stored in the provider's account are not supported";
const ABOVE_LIST_PRICE = 'it costs more than the list price';
const LONG_OUTPUT = "its responses can exceed the model's output limit";
const OTHER_CALLS = 'it belongs to an endpoint that is not supported';

/**
 * Known betas by name without the date, and the reason to drop them. Betas without a reason cost only tokens that usage
 * reports, and refer to nothing stored; policies check the fields that they enable.
 */
const BETAS: ReadonlyMap<string, string | undefined> = new Map<string, string | undefined>([
  ['advanced-tool-use', undefined],
  ['cache-diagnosis', undefined],
  ['claude-code', undefined],
  ['computer-use', undefined],
  ['context-management', undefined],
  ['dev-full-thinking', undefined],
  ['effort', undefined],
  ['extended-cache-ttl', undefined],
  // The policy checks `speed` in the body; some models require the header even for its standard value.
  ['fast-mode', undefined],
  ['fine-grained-tool-streaming', undefined],
  ['inline-tools', undefined],
  ['interleaved-thinking', undefined],
  ['mid-conversation-output-config', undefined],
  // Sent by earlier versions of Claude Code, with instructions within a conversation.
  ['mid-conversation-system', undefined],
  ['mid-conversation-system-clear-at', undefined],
  ['mid-conversation-tool-changes', undefined],
  ['model-context-window-exceeded', undefined],
  ['pdfs', undefined],
  // Claude Code's name of mid-conversation-output-config.
  ['per-turn-control', undefined],
  ['prompt-caching', undefined],
  ['prompt-caching-scope', undefined],
  ['structured-outputs', undefined],
  ['task-budgets', undefined],
  ['thinking-binding-controls', undefined],
  ['thinking-display-updates', undefined],
  ['thinking-token-count', undefined],
  ['token-counting', undefined],
  ['token-efficient-tools', undefined],
  ['tool-examples', undefined],
  ['tool-search-tool', undefined],
  ['advisor-tool', PROVIDER_RUN],
  ['code-execution', PROVIDER_RUN],
  ['compact', 'its summaries are billed in addition to the reported usage'],
  ['context-1m', ABOVE_LIST_PRICE],
  ['fallback-credit', ABOVE_LIST_PRICE],
  ['files-api', STORED],
  ['mcp-client', PROVIDER_RUN],
  ['mcp-tunnels', PROVIDER_RUN],
  ['message-batches', OTHER_CALLS],
  ['message-threads', STORED],
  ['output-128k', LONG_OUTPUT],
  ['output-300k', LONG_OUTPUT],
  ['server-side-fallback', ABOVE_LIST_PRICE],
  ['skills', PROVIDER_RUN],
  ['user-profiles', STORED],
  ['user-profiles-billing', STORED],
  ['web-fetch', PROVIDER_RUN],
  ['web-search', PROVIDER_RUN],
]);

/** Fields of the body that a beta enables, and that a provider without it rejects. */
const FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['advanced-tool-use', ['tools[].input_examples', 'tools[].defer_loading', 'tools[].allowed_callers']],
  ['context-management', ['context_management']],
  ['effort', ['output_config.effort']],
  ['fast-mode', ['speed']],
  ['fine-grained-tool-streaming', ['tools[].eager_input_streaming']],
  ['mid-conversation-output-config', ['messages[].output_config']],
  ['mid-conversation-system-clear-at', ['messages[].clear_at']],
  ['per-turn-control', ['messages[].output_config']],
  ['prompt-caching-scope', ['system[].cache_control.scope', 'messages[].content[].cache_control.scope']],
  ['task-budgets', ['output_config.task_budget']],
  ['thinking-binding-controls', ['thinking.block_binding']],
  ['thinking-display-updates', ['thinking.display']],
  ['tool-examples', ['tools[].input_examples']],
  ['tool-search-tool', ['tools[].defer_loading']],
]);

/** What the catalogue says of a provider's betas. */
export interface BetaRules {
  /** Whether unlisted betas are sent. */
  readonly forwardsUnlisted: boolean;
  readonly list: readonly ListedBeta[];
}

export interface ListedBeta {
  /** With or without its date. */
  readonly name: string;
  readonly fields: readonly string[];
  readonly accepted: boolean;
}

/**
 * Selects the betas to pass on, and the fields to leave out with the others. Betas that can cost more are always left out.
 * Unknown betas are too, because they could, unless the catalogue accepts them.
 *
 * @param betas names such as `interleaved-thinking-2025-05-14`
 * @param rules the provider's; undefined: all known betas pass
 */
export function allowedBetas(betas: readonly string[], rules?: BetaRules): BetaChoice {
  const pass: string[] = [];
  const dropped: { beta: string; reason: string }[] = [];
  const kept = new Set<string>();
  const lost = new Set<string>();
  for (const beta of new Set(betas)) {
    const name = beta.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
    const listed = rules?.list.find((one) => one.name === beta) ?? rules?.list.find((one) => one.name === name);
    const reason = BETAS.get(name) ?? refusalBy(rules, listed, BETAS.has(name));
    if (reason === undefined) pass.push(beta);
    else dropped.push({ beta, reason });
    const fields = reason === undefined ? kept : lost;
    for (const field of [...(FIELDS.get(name) ?? []), ...(listed?.fields ?? [])]) fields.add(field);
  }
  return { pass, dropped, leftOut: [...lost].filter((field) => !kept.has(field)) };
}

function refusalBy(rules: BetaRules | undefined, listed: ListedBeta | undefined, isKnown: boolean): string | undefined {
  if (rules === undefined) return isKnown ? undefined : 'it is not known';
  const isAccepted = listed?.accepted ?? rules.forwardsUnlisted;
  return isAccepted ? undefined : "this model's provider does not accept it";
}
