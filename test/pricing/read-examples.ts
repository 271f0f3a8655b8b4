/** An example of a page: inputs and results. */
export interface Example {
  /** Heading of its section. */
  rule: string;
  title: string;
  /** Its price: the YAML above it, fields of a catalogue model. */
  price: string;
  given: ReadonlyMap<string, string>;
  /** The rows of its result: cells by column name. */
  result: readonly ReadonlyMap<string, string>[];
}

/**
 * Parses the worked examples of a page: each starts with a heading `#### Example: …`, uses the nearest YAML above it,
 * and has two tables, for inputs and results.
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
  if (head === undefined || rows.length === 0) throw new Error(`expected a table: ${block}`);
  return rows.map((row) => new Map(head.map((name, column) => [name, row[column] ?? ''])));
}
