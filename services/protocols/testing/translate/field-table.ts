import { PROTOCOL_NAMES, type ProtocolName } from '../../src/canonical/protocol-name.ts';

/** Outcomes of a client's field for a provider, see docs/reference/protocols.md. */
export const FIELD_OUTCOMES = ['kept', 'changed', 'warned', 'refused', 'dropped'] as const;
export type FieldOutcome = (typeof FIELD_OUTCOMES)[number];

/** One example of a row of docs/reference/protocols/<name>.md. */
export interface FieldExample {
  /** Such as `generationConfig.topK` or `messages[].content[].image_url`. */
  readonly field: string;
  readonly example: unknown;
  readonly outcomes: Readonly<Record<ProtocolName, FieldOutcome>>;
}

const COLUMNS = ['field', 'example', 'outcome', 'note'];

/** Parses all field tables of a page; throws if one is malformed. */
export function parseFieldTables(markdown: string): FieldExample[] {
  const examples: FieldExample[] = [];
  let isInTable = false;
  for (const [i, line] of markdown.split('\n').entries()) {
    const cells = line.startsWith('|') ? cellsOf(line) : undefined;
    if (cells === undefined) isInTable = false;
    else if (isInTable && !/^-+$/.test(cells[0] ?? '')) examples.push(...parseRow(cells, i + 1));
    else if (cells.join() === COLUMNS.join()) isInTable = true;
  }
  return examples;
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** A row can have several examples with the same outcome. */
function parseRow(cells: readonly string[], line: number): FieldExample[] {
  if (cells.length !== COLUMNS.length) throw new Error(`line ${line}: ${cells.length} cells, not ${COLUMNS.length}`);
  const [field = '', examples = '', outcome = ''] = cells;
  const outcomes = parseOutcome(outcome, line);
  return examples.split('<br>').map((example) => ({
    field: unquoted(field, line),
    example: JSON.parse(unquoted(example, line)),
    outcomes,
  }));
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
