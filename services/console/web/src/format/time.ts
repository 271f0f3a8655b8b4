export type Zone = 'utc' | 'local';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

function formatter(zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { ...options, ...(zone === 'utc' ? { timeZone: 'UTC' } : {}) });
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function format(time: string | Date, zone: Zone, name: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${zone} ${name}`;
  let found = formatters.get(key);
  if (found === undefined) {
    found = formatter(zone, options);
    formatters.set(key, found);
  }
  // Months have three letters, September too.
  return found.format(new Date(time)).replace('Sept', 'Sep');
}

/** `23 Nov 2026, 09:34:10 UTC` */
export function exactTime(time: string | Date, zone: Zone): string {
  return format(time, zone, 'exact', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
}

/** `23 Nov 2026` */
export function day(time: string | Date, zone: Zone): string {
  return format(time, zone, 'day', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** When something ends: `end of 31 Jan 2027` instead of the midnight after that day in UTC, else `31 Jan 2027, 09:34`. */
export function endTime(time: string, zone: Zone): string {
  const ms = Date.parse(time);
  if (ms % DAY === 0) return `end of ${day(new Date(ms - 1), 'utc')}${zone === 'utc' ? '' : ' UTC'}`;
  return format(time, zone, 'end', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** `23 Nov` */
export function shortDay(time: string | Date, zone: Zone): string {
  return format(time, zone, 'short-day', { day: 'numeric', month: 'short' });
}

/** `Nov` */
export function shortMonth(time: string | Date, zone: Zone): string {
  return format(time, zone, 'short-month', { month: 'short' });
}

/** `Nov 2026` */
export function month(time: string | Date, zone: Zone): string {
  return format(time, zone, 'month', { month: 'short', year: 'numeric' });
}

/** `November 2026` of `2026-11`. */
export function longMonth(text: string): string {
  return format(`${text}-01T00:00:00Z`, 'utc', 'long-month', { month: 'long', year: 'numeric' });
}

/** `23 Nov, 09:34` */
export function minute(time: string | Date, zone: Zone): string {
  return format(time, zone, 'minute', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
}

/** `09:34:10.123` */
export function clock(time: string | Date, zone: Zone): string {
  return format(time, zone, 'clock', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  });
}

/** `09:34:10 UTC` */
export function timeOfDay(time: string | Date, zone: Zone): string {
  return format(time, zone, 'time-of-day', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
}

/** `3 min ago`, `in 2 d`, and the day if it is more than 30 days away. */
export function relativeTime(time: string | Date, now: number, zone: Zone): string {
  const difference = new Date(time).getTime() - now;
  const distance = Math.abs(difference);
  if (distance > 30 * DAY) return day(time, zone);
  const words = span(distance);
  if (words === null) return 'just now';
  return difference > 0 ? `in ${words}` : `${words} ago`;
}

function span(ms: number): string | null {
  if (ms < 10_000) return null;
  if (ms < MINUTE) return `${Math.floor(ms / 1_000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** How long something took or how old it is: `840 ms`, `12.4 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (ms < HOUR) return both(Math.floor(ms / MINUTE), 'min', Math.floor((ms % MINUTE) / 1_000), 's');
  if (ms < DAY) return both(Math.floor(ms / HOUR), 'h', Math.floor((ms % HOUR) / MINUTE), 'min');
  return both(Math.floor(ms / DAY), 'd', Math.floor((ms % DAY) / HOUR), 'h');
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
