import { BUCKET_NAMES, type Usage, usageOf } from '../../canonical/usage.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';

/** The model calls that a response is made of, where the provider ran tools or compacted the conversation. */
export interface IterationSum {
  /** Undefined if there was only one. */
  readonly calls: readonly Usage[] | undefined;
  /** The sum, but never less than the totals that were reported beside it. */
  atLeast(totals: Usage): Usage;
}

/** Adds up `usage.iterations`; undefined if there are none, or one of them is invalid. */
export function sumOfIterations(
  value: unknown,
  readUsage: (iteration: JsonRecord) => Usage | undefined,
): IterationSum | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const turns = value.map((iteration) => (isRecord(iteration) ? readUsage(iteration) : undefined));
  let sum = usageOf({});
  const calls: Usage[] = [];
  for (const turn of turns) {
    if (turn === undefined) return undefined;
    sum = combine(sum, turn, (a, b) => a + b);
    calls.push(turn);
  }
  return {
    calls: calls.length > 1 ? calls : undefined,
    atLeast: (totals) => combine(sum, totals, Math.max),
  };
}

function combine(one: Usage, other: Usage, operation: (a: number, b: number) => number): Usage {
  return usageOf(Object.fromEntries(BUCKET_NAMES.map((name) => [name, operation(one[name], other[name])])));
}
