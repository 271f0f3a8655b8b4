/** A page of one source, newest first. */
export interface SourcePage<T> {
  /** In descending order of their ids. */
  items: readonly { id: string; item: T }[];
  /** The id down to which this page is complete; empty: nothing older follows. */
  next: string;
}

export interface MergedPage<T> {
  items: T[];
  /** The id after which the next page of every source continues; empty on the last page. */
  next: string;
}

/**
 * Merges the pages of several sources that continue after the same id into one page, newest first. An id of any source is a
 * position in all of them, because ids are UUIDv7: one cursor continues them together.
 */
export function mergePages<T>(pages: readonly SourcePage<T>[], limit: number): MergedPage<T> {
  // Below the highest of these, items of a source may be missing.
  const completeTo = pages.reduce((highest, { next }) => (next > highest ? next : highest), '');
  const merged = pages
    .flatMap(({ items }) => items)
    .filter(({ id }) => id >= completeTo)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = merged.slice(0, limit);
  const last = items.at(-1);
  const cut = merged.length > items.length && last !== undefined;
  return { items: items.map(({ item }) => item), next: cut ? last.id : completeTo };
}
