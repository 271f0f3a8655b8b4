import { writeJson } from '../json-mutation.ts';
import { type Random, weighted } from '../random.ts';
import { isObject } from './read-usage.ts';

const NO_OBJECTS: readonly unknown[] = [undefined, null, 'none', 7, [], [{}], true];
const INPUT = /prompt|input/i;
const OUTPUT = /completion|candidates|output|thoughts/i;

/** A report of usage made wrong, as JSON has it. `undefined`: none at all. */
export function lieAbout(random: Random, report: unknown): unknown {
  if (!isObject(report)) return report;
  const names = (pattern: RegExp) =>
    Object.keys(report).filter((name) => pattern.test(name) && typeof report[name] === 'number');
  return asJson(
    weighted<() => unknown>(random, [
      [2, () => random.pick(NO_OBJECTS as [unknown, ...unknown[]])],
      // A few times the truth, which a bound may well not cover and which is believed all the same.
      [2, () => scaled(report, names(OUTPUT), 2 + random.below(40))],
      [2, () => scaled(report, names(INPUT), 2 + random.below(40))],
      [1, () => replaced(report, names(/./), 0)],
      [1, () => replaced(report, names(OUTPUT), 0)],
    ])(),
  );
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(writeJson(value)) as unknown);
}

function scaled(report: Record<string, unknown>, names: readonly string[], factor: number): object {
  return { ...report, ...Object.fromEntries(names.map((name) => [name, Number(report[name]) * factor])) };
}

function replaced(report: Record<string, unknown>, names: readonly string[], count: number): object {
  return { ...report, ...Object.fromEntries(names.map((name) => [name, count])) };
}
