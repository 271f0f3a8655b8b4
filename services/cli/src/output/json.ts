/** What a command prints for programs. Money and other 64-bit numbers are texts in it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A time for programs; null for 0, which stands for never. */
export function jsonTime(unixMs: bigint): string | null {
  return unixMs === 0n ? null : new Date(Number(unixMs)).toISOString();
}
