import type { MergedPage } from '../paging/merge.ts';

/** All pages of a merged list. */
export async function* allPages<T>(readPage: (after: string) => Promise<MergedPage<T>>): AsyncGenerator<readonly T[]> {
  let after = '';
  do {
    const page = await readPage(after);
    yield page.items;
    after = page.next;
  } while (after !== '');
}
