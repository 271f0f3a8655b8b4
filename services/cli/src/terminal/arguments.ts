import { InvalidArgumentError } from 'commander';

/** Reads a time: RFC 3339 with an offset, a date (midnight in UTC), or Unix seconds. Returns RFC 3339. */
export function time(text: string): string {
  const isComplete = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const parsed = /^\d{1,11}$/.test(text) ? Number(text) * 1_000 : isComplete ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(parsed)) {
    throw new InvalidArgumentError('It must be a time such as 2026-05-01T12:00:00Z, a date, or Unix seconds.');
  }
  return new Date(parsed).toISOString();
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a duration, such as `90s`, `30m`, `12h`, `7d` or `0`. Returns seconds. */
export function duration(text: string): number {
  if (text === '0') return 0;
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    throw new InvalidArgumentError('It must be a duration such as 90s, 30m, 12h or 7d, or 0.');
  }
  return Number(match[1]) * unit;
}

/** Reads an integer between bounds. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
  };
}

/** Reads a text of a form, which the message describes. */
export function matching(pattern: RegExp, message: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(message);
  };
}

/** Reads a repeated entry, such as `team=search`. */
export function entry(text: string, before: unknown): Record<string, string> {
  const others = typeof before === 'object' && before !== null ? (before as Record<string, string>) : {};
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z]/.test(name)) {
    throw new InvalidArgumentError('It must be name=value with a name that begins with a letter, such as team=search.');
  }
  if (Object.hasOwn(others, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...others, [name]: text.slice(at + 1) };
}
