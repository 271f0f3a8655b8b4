import type { Io } from './io.ts';

/** What a command prints with --json. Money and other 64-bit numbers are strings. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A time in JSON; null for 0, which means never. */
export function jsonTime(unixMs: bigint): string | null {
  return unixMs === 0n ? null : new Date(Number(unixMs)).toISOString();
}

/** A command's result in both formats. */
export interface Result {
  json: Json;
  /** For people; ends in a newline. */
  text: string;
}

/** Prints a result, as JSON with --json. */
export function print(io: Io, options: { json?: boolean | undefined }, result: Result): void {
  io.stdout(options.json === true ? `${JSON.stringify(result.json, null, 2)}\n` : result.text);
}
