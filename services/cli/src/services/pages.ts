/** The maximum page size of the services. */
const PAGE_SIZE = 1_000;

/** Reads pages until there are `limit` items, or no more. */
export async function readPages<T>(
  limit: number,
  readPage: (size: number, token: string) => Promise<{ items: T[]; next: string }>,
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let token = '';
  do {
    const page = await readPage(Math.min(PAGE_SIZE, limit - items.length), token);
    items.push(...page.items);
    token = page.next;
  } while (token !== '' && items.length < limit);
  return { items, more: token !== '' };
}

/** A line that says that the list continues; empty when it does not. */
export function moreLine(more: boolean): string {
  return more ? 'There are more: raise --limit.\n' : '';
}
