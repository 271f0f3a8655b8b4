import { addQuantities, type Bill, type ModelDay, QUANTITIES, type Quantities, type Quantity } from './bill.ts';

/** What was metered of a provider's model on a day. */
export interface MeteredDay extends ModelDay {
  requests: bigint;
}

/** A day of a model, as the provider billed it and as charges have it. */
export interface ComparedDay {
  day: string;
  model: string;
  /** Requests that were metered. */
  requests: bigint;
  billed: Quantities;
  metered: Quantities;
  /** Whether a quantity that both have differs by more than the tolerance. */
  differs: boolean;
}

const PPM = 1_000_000n;
/** Costs that differ by less do not count: providers round. */
const MIN_COST_NANOS = 10_000_000n;

/**
 * Compares a bill with what was metered on its days. What earlier bills said of other quantities stays, as tokens do when costs
 * follow.
 *
 * @param before comparisons of the same days
 * @param tolerancePpm of the larger value, parts per million
 */
export function compareBill(
  bill: Bill,
  metered: readonly MeteredDay[],
  before: readonly ComparedDay[],
  tolerancePpm: number,
): ComparedDay[] {
  const days = new Map<string, ComparedDay>();
  const dayOf = ({ day, model }: { day: string; model: string }) => {
    const key = `${day} ${modelKey(model)}`;
    const known = days.get(key);
    if (known !== undefined) return known;
    const created: ComparedDay = { day, model, requests: 0n, billed: {}, metered: {}, differs: false };
    days.set(key, created);
    return created;
  };
  for (const each of metered) {
    const compared = dayOf(each);
    compared.metered = addQuantities(compared.metered, each.quantities);
    compared.requests += each.requests;
  }
  for (const each of before) {
    const compared = dayOf(each);
    for (const quantity of QUANTITIES) {
      const value = each.billed[quantity];
      if (value !== undefined && !bill.quantities.includes(quantity)) compared.billed[quantity] = value;
    }
  }
  for (const each of bill.lines) {
    const compared = dayOf(each);
    compared.billed = addQuantities(compared.billed, each.quantities);
  }
  return [...days.values()]
    .map((compared) => decide(compared, bill.quantities, tolerancePpm))
    .filter(({ billed, requests }) => requests > 0n || Object.values(billed).some((value) => value !== 0n))
    .sort((a, b) => b.day.localeCompare(a.day) || a.model.localeCompare(b.model));
}

/** A model that the bill leaves out was not billed. */
function decide(compared: ComparedDay, quantities: readonly Quantity[], tolerancePpm: number): ComparedDay {
  const zeros = Object.fromEntries(quantities.map((quantity) => [quantity, 0n]));
  const billed: Quantities = { ...zeros, ...compared.billed };
  const metered = compared.requests === 0n ? { ...ALL_ZERO } : compared.metered;
  const differs = QUANTITIES.some((quantity) => isBeyond(quantity, billed[quantity], metered[quantity], tolerancePpm));
  return { ...compared, billed, metered, differs };
}

const ALL_ZERO: Quantities = Object.fromEntries(QUANTITIES.map((quantity) => [quantity, 0n]));

function isBeyond(
  quantity: Quantity,
  billed: bigint | undefined,
  metered: bigint | undefined,
  tolerancePpm: number,
): boolean {
  if (billed === undefined || metered === undefined) return false;
  const difference = magnitude(billed - metered);
  if (quantity === 'costNanos' && difference < MIN_COST_NANOS) return false;
  const larger = magnitude(billed) > magnitude(metered) ? magnitude(billed) : magnitude(metered);
  return difference * PPM > larger * BigInt(tolerancePpm);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/**
 * A model under the names that a bill and a catalogue have for it: `Claude Haiku 4.5` and `claude-haiku-4-5-20251001`, or `gpt-5` and
 * `gpt-5-2025-08-07`.
 */
export function modelKey(name: string): string {
  return name
    .toLowerCase()
    .replace(/^models\//, '')
    .replace(/[\s._]+/g, '-')
    .replace(/-(?:latest|\d{4}-\d\d-\d\d|20\d{6})$/, '');
}
