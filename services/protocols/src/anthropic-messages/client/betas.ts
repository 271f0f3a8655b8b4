/** The result of checking a client's `anthropic-beta` header. */
export interface BetaChoice {
  /** In the client's order, without repeats. */
  readonly pass: readonly string[];
  readonly dropped: readonly { readonly beta: string; readonly reason: string }[];
}

const PROVIDER_RUN = 'what the provider runs itself is not supported';
const STORED = "things stored in the provider's account are not accepted";
const DEARER = 'it costs more than the list price';
const LONGER = "its responses can exceed the model's output limit";
const OTHER_CALLS = 'it is of calls that are not offered here';

/**
 * Known betas, by the beginning of their names; a date follows. Those without a reason cost only tokens that usage
 * reports, and refer to nothing stored; the fields they allow are checked by the policies.
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
  // `speed` itself is checked in the body; some models require the header for its standard value too.
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
  ['compact', 'the summaries it makes are billed beside the usage that is reported'],
  ['context-1m', DEARER],
  ['fallback-credit', DEARER],
  ['files-api', STORED],
  ['mcp-client', PROVIDER_RUN],
  ['mcp-tunnels', PROVIDER_RUN],
  ['message-batches', OTHER_CALLS],
  ['message-threads', STORED],
  ['output-128k', LONGER],
  ['output-300k', LONGER],
  ['server-side-fallback', DEARER],
  ['skills', PROVIDER_RUN],
  ['user-profiles', STORED],
  ['user-profiles-billing', STORED],
  ['web-fetch', PROVIDER_RUN],
  ['web-search', PROVIDER_RUN],
]);

/**
 * Selects the betas that are passed on. An unknown one could change the cost of a call, so it is dropped like those known
 * to do so.
 *
 * @param betas names such as `interleaved-thinking-2025-05-14`
 */
export function allowedBetas(betas: readonly string[]): BetaChoice {
  const pass: string[] = [];
  const dropped: { beta: string; reason: string }[] = [];
  for (const beta of new Set(betas)) {
    const name = beta.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
    const reason = BETAS.has(name) ? BETAS.get(name) : 'it is not known here';
    if (reason === undefined) pass.push(beta);
    else dropped.push({ beta, reason });
  }
  return { pass, dropped };
}
