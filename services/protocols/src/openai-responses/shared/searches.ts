import type { Usage } from '../../canonical/usage.ts';
import { nonNegativeInteger, recordOr } from '../../json/record.ts';

/** Uses of hosted tools that a response shows. */
export interface SeenUses {
  /** Searches of the web that are billed. Opening a page and finding text in it are none. */
  readonly searches: number;
  /** After each use the model reads the conversation again. */
  readonly repeatedPrompts: number;
}

const NONE: SeenUses = { searches: 0, repeatedPrompts: 0 };

/** The uses with that of one more item. */
export function withItem(seen: SeenUses, item: Readonly<Record<string, unknown>>): SeenUses {
  const { searches, repeatedPrompts } = seen;
  if (item['type'] === 'tool_search_call' && item['execution'] !== 'client') {
    return { searches, repeatedPrompts: repeatedPrompts + 1 };
  }
  if (item['type'] !== 'web_search_call') return seen;
  const isSearch = (recordOr(item['action'])['type'] ?? 'search') === 'search';
  return {
    searches: searches + (isSearch && item['status'] !== 'failed' ? 1 : 0),
    repeatedPrompts: repeatedPrompts + 1,
  };
}

/**
 * The uses of a response: the searches as it reports them, else those among its items.
 *
 * @param streamed the uses that its stream had
 */
export function usesOf(response: Readonly<Record<string, unknown>>, streamed = NONE): SeenUses {
  const reported = recordOr(recordOr(response['tool_usage'])['web_search'])['num_requests'];
  const { output } = response;
  const listed = Array.isArray(output) ? output.map(recordOr).reduce(withItem, NONE) : NONE;
  const searches = nonNegativeInteger(reported) ?? Math.max(listed.searches, streamed.searches);
  return { searches, repeatedPrompts: Math.max(listed.repeatedPrompts, streamed.repeatedPrompts) };
}

/** A report of usage with the uses, which it does not include. */
export function withUses<Report extends { readonly usage: Usage | undefined }>(
  report: Report,
  uses: SeenUses,
): Report & SeenUses {
  const { usage } = report;
  const search = Math.max(usage?.search ?? 0, uses.searches);
  return { ...report, usage: usage === undefined ? undefined : { ...usage, search }, ...uses };
}
