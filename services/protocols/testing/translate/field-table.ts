import { PROTOCOL_NAMES, type ProtocolName } from '../../src/canonical/protocol-name.ts';

/** Outcomes of a client's field for a provider, see docs/reference/protocols.md. */
export const FIELD_OUTCOMES = ['kept', 'changed', 'warned', 'refused', 'dropped'] as const;
export type FieldOutcome = (typeof FIELD_OUTCOMES)[number];

/** A row of testing/field-tables/<name>.md. */
export interface FieldRow {
  /** Such as `generationConfig.topK` or `messages[].content[].image_url`. */
  readonly field: string;
  /** One or more with the same outcome. */
  readonly examples: readonly unknown[];
  /** As written: the one for most providers, then the exceptions. */
  readonly outcome: string;
  readonly outcomes: Readonly<Record<ProtocolName, FieldOutcome>>;
  readonly note: string;
}

const COLUMNS = ['field', 'example', 'outcome', 'note'];

/** Parses all field tables of a page; throws if one is malformed. */
export function parseFieldTables(markdown: string): FieldRow[] {
  const rows: FieldRow[] = [];
  let isInTable = false;
  for (const [i, line] of markdown.split('\n').entries()) {
    const cells = line.startsWith('|') ? cellsOf(line) : undefined;
    if (cells === undefined) isInTable = false;
    else if (isInTable && !/^-+$/.test(cells[0] ?? '')) rows.push(parseRow(cells, i + 1));
    else if (cells.join() === COLUMNS.join()) isInTable = true;
  }
  return rows;
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function parseRow(cells: readonly string[], line: number): FieldRow {
  if (cells.length !== COLUMNS.length) throw new Error(`line ${line}: ${cells.length} cells, not ${COLUMNS.length}`);
  const [field = '', examples = '', outcome = '', note = ''] = cells;
  return {
    field: unquoted(field, line),
    examples: examples.split('<br>').map((example) => JSON.parse(unquoted(example, line))),
    outcome,
    outcomes: parseOutcome(outcome, line),
    note,
  };
}

function unquoted(cell: string, line: number): string {
  const inner = /^(`+) ?(.*?) ?\1$/.exec(cell)?.[2];
  if (inner === undefined) throw new Error(`line ${line}: ${cell} is not in backticks`);
  return inner;
}

/** The outcome for most providers, then the exceptions: `kept; openai-chat, gemini: warned`. */
function parseOutcome(cell: string, line: number): Record<ProtocolName, FieldOutcome> {
  const [common = '', ...exceptions] = cell.split(';').map((part) => part.trim());
  const outcome = outcomeOf(common, line);
  const outcomes: Record<ProtocolName, FieldOutcome> = {
    'openai-chat': outcome,
    'openai-responses': outcome,
    'anthropic-messages': outcome,
    gemini: outcome,
  };
  for (const exception of exceptions) {
    const [names = '', other = ''] = exception.split(':').map((part) => part.trim());
    for (const name of names.split(', ')) outcomes[protocolOf(name, line)] = outcomeOf(other, line);
  }
  return outcomes;
}

function outcomeOf(text: string, line: number): FieldOutcome {
  const outcome = FIELD_OUTCOMES.find((one) => one === text);
  if (outcome === undefined) throw new Error(`line ${line}: "${text}" is none of ${FIELD_OUTCOMES.join(', ')}`);
  return outcome;
}

function protocolOf(text: string, line: number): ProtocolName {
  const name = PROTOCOL_NAMES.find((one) => one === text);
  if (name === undefined) throw new Error(`line ${line}: "${text}" is none of ${PROTOCOL_NAMES.join(', ')}`);
  return name;
}
