const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ranges that end now, by their name, in milliseconds. Ranges of several days start with a day. */
export const RECENT_RANGES = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '1y': 365 * DAY_MS,
} as const;
export type RecentRange = keyof typeof RECENT_RANGES;

/** The start of a range that ends now. */
export function recentStart(range: RecentRange, nowMs: number, timeZone: string): number {
  const startMs = nowMs - RECENT_RANGES[range];
  return RECENT_RANGES[range] <= DAY_MS ? startMs : startOfDay(startMs + DAY_MS, timeZone);
}

/** The start of the day of a time in a zone, also where clocks change on that day. */
export function startOfDay(ms: number, timeZone: string): number {
  const localMs = ms + offsetAt(ms, timeZone);
  const midnightMs = localMs - (((localMs % DAY_MS) + DAY_MS) % DAY_MS);
  const near = midnightMs - offsetAt(midnightMs, timeZone);
  return midnightMs - offsetAt(near, timeZone);
}

/** `2026-11-23` */
export function dayOf(ms: number, timeZone: string): string {
  return new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 10);
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(ms: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
