/** A time of a service, Unix milliseconds, in RFC 3339. */
export function renderTime(unixMs: bigint): string {
  return new Date(Number(unixMs)).toISOString();
}

/** Null for an empty text, by which services say that there is none. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
