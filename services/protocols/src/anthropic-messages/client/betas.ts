/** The result of checking a client's `anthropic-beta` header. */
export interface BetaChoice {
  /** In the client's order, without repeats. */
  readonly pass: readonly string[];
  readonly dropped: readonly { readonly beta: string; readonly reason: string }[];
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
  ['mid-conversation-system-clear-at', undefined],
  ['mid-conversation-tool-changes', undefined],
  ['model-context-window-exceeded', undefined],
  ['pdfs', undefined],
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

/**
 * Selects the betas to pass on. Unknown betas are dropped, because they could change the cost of a call.
 *
 * @param betas names such as `interleaved-thinking-2025-05-14`
 */
export function allowedBetas(betas: readonly string[]): BetaChoice {
  const pass: string[] = [];
  const dropped: { beta: string; reason: string }[] = [];
  for (const beta of new Set(betas)) {
    const name = beta.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
    const reason = BETAS.has(name) ? BETAS.get(name) : 'it is not known';
    if (reason === undefined) pass.push(beta);
    else dropped.push({ beta, reason });
  }
  return { pass, dropped };
}
