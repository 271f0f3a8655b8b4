import type { Command } from 'commander';
import { count, time } from '../terminal/arguments.ts';
import type { Io } from '../terminal/io.ts';

const DAY_MS = 86_400_000;

/** Options of commands that list what happened in a time range. */
export interface RangeOptions {
  start?: number;
  end?: number;
  limit: number;
}

/** What is listed, and by default. */
export interface RangeDefaults {
  /** In the plural, such as `deposits`. */
  items: string;
  /** The length of the range. */
  days: number;
  limit: number;
}

export function withRange(command: Command, { items, days, limit }: RangeDefaults): Command {
  const length = days === 1 ? 'a day' : `${days} days`;
  return command
    .option('--start <time>', `start of the range; default: ${length} before the end`, time)
    .option('--end <time>', 'end of the range, exclusive; default: now', time)
    .option('--limit <count>', `maximum number of ${items}`, count, limit);
}

/** The range of a request, Unix milliseconds. */
export function rangeOf(options: RangeOptions, { days }: RangeDefaults, io: Io): { startMs: bigint; endMs: bigint } {
  const end = options.end ?? io.now() + 1;
  return { startMs: BigInt(options.start ?? end - days * DAY_MS), endMs: BigInt(end) };
}
