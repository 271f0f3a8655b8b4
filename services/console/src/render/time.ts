/** A time of a service, Unix milliseconds, in RFC 3339. */
export function renderTime(unixMs: bigint): string {
  return new Date(Number(unixMs)).toISOString();
}

/** The same for a time that may be absent: 0. */
export function renderTimeOrNull(unixMs: bigint): string | null {
  return unixMs === 0n ? null : renderTime(unixMs);
}

/** Null for an empty text, by which services say that there is none. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
