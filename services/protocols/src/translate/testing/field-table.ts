import { PROTOCOL_NAMES, type ProtocolName } from '../../canonical/protocol-name.ts';

/** What becomes of a client's field towards a provider. */
export const FATES = ['kept', 'changed', 'warned', 'refused', 'dropped'] as const;
export type Fate = (typeof FATES)[number];

/** One row of docs/reference/protocols/<name>.md. */
export interface FieldRow {
  /** Such as `generationConfig.topK` or `messages[].content[].image_url`. */
  readonly field: string;
  readonly example: unknown;
  readonly fates: Readonly<Record<ProtocolName, Fate>>;
}

const COLUMNS = ['field', 'example', ...PROTOCOL_NAMES, 'note'];

/** Reads all tables of fields in a page; throws where one is not as it should be. */
export function parseFieldTables(markdown: string): FieldRow[] {
  const rows: FieldRow[] = [];
  let isInTable = false;
  for (const [i, line] of markdown.split('\n').entries()) {
    const cells = line.startsWith('|') ? cellsOf(line) : undefined;
    if (cells === undefined) isInTable = false;
    else if (isInTable && !/^-+$/.test(cells[0] ?? '')) rows.push(rowOf(cells, i + 1));
    else if (cells.join() === COLUMNS.join()) isInTable = true;
  }
  return rows;
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function rowOf(cells: readonly string[], line: number): FieldRow {
  if (cells.length !== COLUMNS.length) throw new Error(`line ${line}: ${cells.length} cells, not ${COLUMNS.length}`);
  const [field = '', example = '', chat = '', responses = '', messages = '', gemini = ''] = cells;
  return {
    field: unquoted(field, line),
    example: JSON.parse(unquoted(example, line)),
    fates: {
      'openai-chat': fateOf(chat, line),
      'openai-responses': fateOf(responses, line),
      'anthropic-messages': fateOf(messages, line),
      gemini: fateOf(gemini, line),
    },
  };
}

function unquoted(cell: string, line: number): string {
  const inner = /^(`+) ?(.*?) ?\1$/.exec(cell)?.[2];
  if (inner === undefined) throw new Error(`line ${line}: ${cell} is not in backticks`);
  return inner;
}

function fateOf(cell: string, line: number): Fate {
  const fate = FATES.find((one) => one === cell.replaceAll('`', ''));
  if (fate === undefined) throw new Error(`line ${line}: "${cell}" is none of ${FATES.join(', ')}`);
  return fate;
}
