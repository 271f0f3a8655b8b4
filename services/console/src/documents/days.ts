const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const longDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const longMonth = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `23 Nov 2026` in UTC. Months have three letters, September too. */
export function dayText(unixMs: bigint): string {
  return day.format(Number(unixMs)).replace('Sept', 'Sep');
}

/** `23 November 2026` in UTC. */
export function longDayText(unixMs: bigint): string {
  return longDay.format(Number(unixMs));
}

/** `November 2026` of `2026-11`. */
export function monthText(month: string): string {
  return longMonth.format(new Date(`${month}-01T00:00:00Z`));
}

/** The last day of a month such as `2026-11`: `30 November 2026`. */
export function lastDayText(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`);
  return longDay.format(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
}
