/** What surrounds the generated part of a page. */
export interface Marks {
  begin: string;
  end: string;
}

/** The text before and after the generated part, which is written by hand. */
export function between(page: string, { begin, end }: Marks): { before: string; after: string } {
  const [before = '', rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`the page has nothing between ${begin} and ${end}`);
  return { before, after };
}
