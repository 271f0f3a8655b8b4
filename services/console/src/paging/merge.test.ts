import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePages, type SourcePage } from './merge.ts';

/** A source with these ids, each page of which ends as the ledger's do. */
function source(ids: readonly string[], searchLimit = Number.POSITIVE_INFINITY) {
  const sorted = [...ids].sort().reverse();
  return (after: string, limit: number): SourcePage<string> => {
    const older = sorted.filter((id) => after === '' || id < after);
    const items = older.slice(0, Math.min(limit, searchLimit)).map((id) => ({ id, item: id }));
    return { items, next: older.length > items.length ? (items.at(-1)?.id ?? '') : '' };
  };
}

function readAll(sources: readonly ReturnType<typeof source>[], limit: number): string[] {
  const listed: string[] = [];
  let after = '';
  do {
    const page = mergePages(
      sources.map((read) => read(after, limit)),
      limit,
    );
    expect(page.items.length).toBeLessThanOrEqual(limit);
    listed.push(...page.items);
    after = page.next;
  } while (after !== '');
  return listed;
}

const id = fc.integer({ min: 0, max: 500 }).map((number) => number.toString().padStart(3, '0'));

describe('merged pages', () => {
  it('list every item of every source once, newest first, whatever the page size', () => {
    const ids = fc.uniqueArray(id, { maxLength: 60 });
    fc.assert(
      fc.property(
        ids,
        fc.nat(),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 12 }),
        (all, seed, a, limit) => {
          const inFirst = (_: string, index: number) => ((seed >> (index % 30)) & 1) === 0;
          const first = all.filter(inFirst);
          const second = all.filter((each) => !first.includes(each));
          // The first source stops searching early, as the ledger does for a filter that few charges match.
          expect(readAll([source(first, a), source(second)], limit)).toEqual([...all].sort().reverse());
        },
      ),
    );
  });

  it('hold back what may be followed by something newer of another source', () => {
    const pages = [
      { items: [{ id: '9', item: 'charge 9' }], next: '5' },
      {
        items: [
          { id: '7', item: 'refusal 7' },
          { id: '3', item: 'refusal 3' },
        ],
        next: '',
      },
    ];
    expect(mergePages(pages, 10)).toEqual({ items: ['charge 9', 'refusal 7'], next: '5' });
  });

  it('continue where a source stopped searching without finding anything', () => {
    expect(
      mergePages(
        [
          { items: [], next: '5' },
          { items: [], next: '' },
        ],
        10,
      ),
    ).toEqual({ items: [], next: '5' });
    expect(mergePages([], 10)).toEqual({ items: [], next: '' });
  });
});
