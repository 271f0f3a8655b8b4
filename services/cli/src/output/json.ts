/** What a command prints with --json. Money and other 64-bit numbers are strings. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A time in JSON; null for 0, which means never. */
export function jsonTime(unixMs: bigint): string | null {
  return unixMs === 0n ? null : new Date(Number(unixMs)).toISOString();
}
