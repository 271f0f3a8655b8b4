import { type BucketName, inputTokensOf, type Usage, usageOf, writtenTokensOf } from '../../canonical/usage.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';

/** The usage of a response, and the model calls that it is made of; undefined if there was only one. */
export interface CalledUsage {
  readonly usage: Usage;
  readonly calls: readonly Usage[] | undefined;
}

const INPUT = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h'] as const;
const OUTPUT = ['output', 'reasoning'] as const;

/**
 * The usage of a response with `usage.iterations`: their sum, but never less than the totals beside them. Input and output are
 * compared as wholes, since either side may lack details: iterations do not say what of their output was thinking.
 *
 * @returns the totals if there are no iterations, or one of them is invalid
 */
export function withIterations(
  totals: Usage,
  iterations: unknown,
  readUsage: (iteration: JsonRecord) => Usage | undefined,
): CalledUsage {
  const calls = readCalls(iterations, readUsage);
  if (calls === undefined) return { usage: totals, calls: undefined };
  const sum = usageOf(Object.fromEntries([...INPUT, ...OUTPUT].map((name) => [name, sumOf(calls, name)])));
  const usage = usageOf({ ...inputOf(sum, totals), ...outputOf(sum, totals), search: totals.search });
  return { usage, calls: calls.length > 1 ? withDetails(calls, sum, usage) : undefined };
}

function readCalls(
  value: unknown,
  readUsage: (iteration: JsonRecord) => Usage | undefined,
): readonly Usage[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const calls: Usage[] = [];
  for (const iteration of value) {
    const call = isRecord(iteration) ? readUsage(iteration) : undefined;
    if (call === undefined) return undefined;
    calls.push(call);
  }
  return calls;
}

function sumOf(calls: readonly Usage[], name: BucketName): number {
  return calls.reduce((sum, call) => sum + call[name], 0);
}

function inputOf(one: Usage, other: Usage): Partial<Usage> {
  const total = Math.max(inputTokensOf(one), inputTokensOf(other));
  const read = Math.min(Math.max(one.cache_read, other.cache_read), total);
  const written = Math.min(Math.max(writtenTokensOf(one), writtenTokensOf(other)), total - read);
  const long = Math.min(Math.max(one.cache_write_1h, other.cache_write_1h), written);
  return { input: total - read - written, cache_read: read, cache_write_5m: written - long, cache_write_1h: long };
}

function outputOf(one: Usage, other: Usage): Partial<Usage> {
  const total = Math.max(one.output + one.reasoning, other.output + other.reasoning);
  const reasoning = Math.min(Math.max(one.reasoning, other.reasoning), total);
  return { output: total - reasoning, reasoning };
}

/** The calls with the details of the usage: their tokens move to the bucket that the usage counts them in. */
function withDetails(calls: readonly Usage[], sum: Usage, usage: Usage): readonly Usage[] {
  const missing: Record<BucketName, number> = { ...sum };
  for (const name of [...INPUT, ...OUTPUT]) missing[name] = usage[name] - sum[name];
  return calls.map((call) => {
    const detailed = { ...call };
    for (const group of [INPUT, OUTPUT]) {
      for (const to of group) {
        for (const from of group) {
          const moved = Math.max(0, Math.min(missing[to], -missing[from], detailed[from]));
          detailed[from] -= moved;
          detailed[to] += moved;
          missing[from] += moved;
          missing[to] -= moved;
        }
      }
    }
    return detailed;
  });
}
