import type { Usage } from '../../canonical/usage.ts';
import { nonNegativeInteger, recordOr } from '../../json/record.ts';

/**
 * Searches of the web that a response bills: as it reports them, else those among its items. Opening a page and finding text
 * in it are not searches.
 */
export function searchesOf(response: Readonly<Record<string, unknown>>): number {
  const reported = recordOr(recordOr(response['tool_usage'])['web_search'])['num_requests'];
  const { output } = response;
  const items = Array.isArray(output) ? output.filter((item) => isBilledSearch(recordOr(item))).length : 0;
  return nonNegativeInteger(reported) ?? items;
}

/** Whether an item is a search that ran. */
export function isBilledSearch(item: Readonly<Record<string, unknown>>): boolean {
  if (item['type'] !== 'web_search_call' || item['status'] === 'failed') return false;
  return (recordOr(item['action'])['type'] ?? 'search') === 'search';
}

/** A report of usage with the searches, which it does not include. */
export function withSearches<Report extends { readonly usage: Usage | undefined }>(
  report: Report,
  search: number,
): Report & { readonly searches: number } {
  const { usage } = report;
  return {
    ...report,
    usage: usage === undefined ? undefined : { ...usage, search: Math.max(usage.search, search) },
    searches: search,
  };
}
