import { writeJson } from '../json-mutation.ts';
import { type Random, weighted } from '../random.ts';
import { isObject } from './read-usage.ts';

const NO_OBJECTS: readonly unknown[] = [undefined, null, 'none', 7, [], {}, [{}], true];
const ODD_COUNTS: readonly unknown[] = [undefined, null, '12', -1, 0.5, 1e300, true, {}, [3], 2 ** 53, '', 'NaN'];
const LARGE_COUNTS: readonly number[] = [1e9, 1e12, Number.MAX_SAFE_INTEGER];
const INPUT = /prompt|input/i;
const OUTPUT = /completion|candidates|output|thoughts/i;

/** A false usage report, as JSON. `undefined` for none. */
export function lieAbout(random: Random, report: unknown): unknown {
  if (!isObject(report)) return report;
  const names = (pattern: RegExp) =>
    Object.keys(report).filter((name) => pattern.test(name) && typeof report[name] === 'number');
  const all = Object.keys(report) as [string, ...string[]];
  return asJson(
    weighted<() => unknown>(random, [
      [2, () => random.pick(NO_OBJECTS as [unknown, ...unknown[]])],
      [3, () => ({ ...report, [random.pick(all)]: random.pick(ODD_COUNTS as [unknown, ...unknown[]]) })],
      [2, () => without(report, random.pick(all))],
      // A few times the true value, which a bound may not cover although it is accepted.
      [2, () => scaled(report, names(OUTPUT), 2 + random.below(40))],
      [2, () => scaled(report, names(INPUT), 2 + random.below(40))],
      [1, () => replaced(report, names(OUTPUT), random.pick(LARGE_COUNTS as [number, ...number[]]))],
      [1, () => replaced(report, names(INPUT), random.pick(LARGE_COUNTS as [number, ...number[]]))],
      [1, () => replaced(report, names(/./), 0)],
      [1, () => replaced(report, names(OUTPUT), 0)],
      [1, () => replaced(report, names(/details|cache/i), Number.MAX_SAFE_INTEGER)],
    ])(),
  );
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(writeJson(value)) as unknown);
}

function without(report: Record<string, unknown>, name: string): Record<string, unknown> {
  const { [name]: _left, ...rest } = report;
  return rest;
}

function scaled(report: Record<string, unknown>, names: readonly string[], factor: number): object {
  return { ...report, ...Object.fromEntries(names.map((name) => [name, Number(report[name]) * factor])) };
}

function replaced(report: Record<string, unknown>, names: readonly string[], count: number): object {
  return { ...report, ...Object.fromEntries(names.map((name) => [name, count])) };
}
