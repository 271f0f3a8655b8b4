/** A link, as written. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

/** The page without code blocks, with the same lines. */
export function withoutCodeBlocks(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      const mark = /^\s*(`{3,})/.exec(line)?.[1] ?? '';
      const isFenced = fence !== '' || mark !== '';
      if (mark !== '') fence = fence === '' ? mark : '';
      return isFenced ? '' : line;
    })
    .join('\n');
}

/** The links of a page, except those in code. */
export function linksOf(markdown: string): Link[] {
  const lines = withoutCodeBlocks(markdown).split('\n');
  return lines.flatMap((line, index) =>
    [...line.replaceAll(/`[^`]*`/g, '`').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({
      target,
      line: index + 1,
    })),
  );
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCodeBlocks(markdown).matchAll(/^#{1,6} (.*)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The code spans outside of code blocks. */
export function codeSpansOf(markdown: string): string[] {
  return [...withoutCodeBlocks(markdown).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
}
