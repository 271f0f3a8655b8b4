import { parseAmount, parseDay, parseTokens } from './amounts.ts';
import { addQuantities, type Bill, type ModelDay, QUANTITIES, type Quantities, type Quantity } from './bill.ts';
import { BILL_FORMATS, type BillFormat } from './formats.ts';
import { type BillRecord, readRecords, UnreadableExport } from './records.ts';

/** Days of a bill, and models of all of them. */
const MAX_DAYS = 62;
const MAX_LINES = 5_000;
const MAX_MODEL_CHARACTERS = 200;
/** Decimal digits of a unit in nano-dollars. */
const DIGITS = { dollars: 9, cents: 7 } as const;

/** An export that cannot be compared; the message says why, for whoever sent it. */
export class BillProblem extends Error {}

/**
 * Reads a provider's export, whose kind follows from its columns.
 *
 * @throws BillProblem
 */
export async function readBill(content: string): Promise<Bill> {
  let format: BillFormat | undefined;
  const quantities = new Set<Quantity>();
  const days = new Set<string>();
  const lines = new Map<string, ModelDay>();
  let row = 0;
  try {
    for await (const record of readRecords(content)) {
      row++;
      const own = formatOf(record);
      format ??= own;
      if (own !== undefined && own !== format) throw new BillProblem(`row ${row} is of another kind of export`);
      const read = readRow(record, format ?? partOf(record), row);
      days.add(read.day);
      if (days.size > MAX_DAYS) throw new BillProblem(`it covers more than ${MAX_DAYS} days: send fewer`);
      if (read.model === '') continue;
      for (const quantity of QUANTITIES) if (read.quantities[quantity] !== undefined) quantities.add(quantity);
      add(lines, read);
    }
  } catch (error) {
    if (error instanceof UnreadableExport) throw new BillProblem(error.message, { cause: error });
    throw error;
  }
  if (format === undefined) throw new BillProblem(`it is none of the exports that are known: ${NAMES}`);
  return { format: format.name, quantities: [...quantities], days: [...days].sort(), lines: [...lines.values()] };
}

const NAMES = BILL_FORMATS.map(({ name }) => name).join(', ');

function formatOf(record: BillRecord): BillFormat | undefined {
  return BILL_FORMATS.find(({ signature }) => signature.every((column) => record.has(column)));
}

/** For an empty bucket of time before the first row that shows the kind: any format with the same day. */
function partOf(record: BillRecord): BillFormat | undefined {
  return BILL_FORMATS.find(({ day }) => record.has(day));
}

function readRow(record: BillRecord, format: BillFormat | undefined, row: number): ModelDay {
  if (format === undefined) throw new BillProblem(`it is none of the exports that are known: ${NAMES}`);
  const day = parseDay(record.get(format.day) ?? '');
  if (day === undefined) throw new BillProblem(`row ${row} has no date in ${format.day}`);
  const quantities = quantitiesOf(record, format, row);
  const named = format.model.map((column) => record.get(column) ?? '').find((text) => text !== '') ?? '';
  const model = (format.modelOf?.(named) ?? named).trim().slice(0, MAX_MODEL_CHARACTERS);
  const isEmpty = Object.values(quantities).every((value) => value === 0n);
  if (model === '' && !isEmpty)
    throw new BillProblem(`row ${row} has no ${format.model[0]}: export it grouped by ${format.model[0]}`);
  return { day, model, quantities };
}

function quantitiesOf(record: BillRecord, format: BillFormat, row: number): Quantities {
  const quantities: Quantities = {};
  for (const quantity of ['inputTokens', 'cacheReadTokens', 'outputTokens'] as const) {
    for (const column of format[quantity] ?? []) {
      const text = record.get(column) ?? '';
      if (text === '') continue;
      const tokens = parseTokens(text);
      if (tokens === undefined) throw new BillProblem(`row ${row}: ${column} is no number of tokens`);
      quantities[quantity] = (quantities[quantity] ?? 0n) + tokens;
    }
  }
  const { cost } = format;
  const text = (cost && record.get(cost.column)) ?? '';
  if (cost !== undefined && text !== '') {
    const currency = cost.currency === undefined ? 'usd' : (record.get(cost.currency) ?? 'usd');
    if (currency.toLowerCase() !== 'usd') throw new BillProblem(`row ${row}: amounts must be in USD`);
    const costNanos = parseAmount(text, DIGITS[cost.unit]);
    if (costNanos === undefined) throw new BillProblem(`row ${row}: ${cost.column} is no amount`);
    quantities.costNanos = costNanos;
  }
  return quantities;
}

function add(lines: Map<string, ModelDay>, { day, model, quantities }: ModelDay): void {
  const key = `${day} ${model}`;
  const line = lines.get(key);
  if (line !== undefined) {
    line.quantities = addQuantities(line.quantities, quantities);
    return;
  }
  if (lines.size >= MAX_LINES) throw new BillProblem(`it has more than ${MAX_LINES} models and days: send fewer days`);
  lines.set(key, { day, model, quantities });
}
