/** An example of a page: what is given, and what must come of it. */
export interface Example {
  /** Heading of the section it is in. */
  rule: string;
  title: string;
  /** The price it goes by: the YAML above it, fields of a model in a catalogue. */
  price: string;
  given: ReadonlyMap<string, string>;
  /** The rows of its result: cells by the name of their column. */
  result: readonly ReadonlyMap<string, string>[];
}

/**
 * Reads the worked examples of a page: each begins with a heading `#### Example: …`, goes by the nearest YAML above it,
 * and has two tables, of what is given and of what comes out.
 */
export function readExamples(page: string): Example[] {
  const examples: Example[] = [];
  let rule = '';
  let price = '';
  const blocks = page.trimEnd().split(/\n{2,}/);
  for (const [at, block] of blocks.entries()) {
    const [line = ''] = block.split('\n');
    if (line.startsWith('## ')) rule = line.slice('## '.length);
    if (line.startsWith('```yaml')) price = block.split('\n').slice(1, -1).join('\n');
    const title = /^#### Example: (.+)$/.exec(line)?.[1];
    if (title === undefined) continue;
    const given = readTable(blocks[at + 1]).map((row) => [...row.values()]);
    examples.push({
      rule,
      title,
      price,
      given: new Map(given.map(([name = '', value = '']) => [name, value])),
      result: readTable(blocks[at + 2]),
    });
  }
  return examples;
}

function readTable(block = ''): Map<string, string>[] {
  const [head, , ...rows] = block.split('\n').map((line) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  );
  if (head === undefined || rows.length === 0) throw new Error(`no table, where one should be: ${block}`);
  return rows.map((row) => new Map(head.map((name, column) => [name, row[column] ?? ''])));
}
