import { trimZeros } from '../decimal.ts';

/** Caps, limits, models and end, which keys, projects, service accounts and members in projects have. */
export interface Limits {
  expires_at: string | null;
  allowed_models: string[];
  limits: { requests_per_minute: number | null; tokens_per_minute: number | null; open_requests: number | null };
  caps: { day: string | null; week: string | null; month: string | null; total: string | null };
}

/** What a form of them holds: texts as they were typed. */
export interface LimitsDraft {
  /** `YYYY-MM-DDTHH:MM` in local time; empty: never. */
  expires: string;
  /** Empty: all. */
  models: readonly string[];
  requestsPerMinute: string;
  tokensPerMinute: string;
  openRequests: string;
  capDay: string;
  capWeek: string;
  capMonth: string;
  capTotal: string;
}

/** What is wrong, by the names that the API gives fields. */
export type Errors = Record<string, string>;

export const NO_LIMITS: LimitsDraft = {
  expires: '',
  models: [],
  requestsPerMinute: '',
  tokensPerMinute: '',
  openRequests: '',
  capDay: '',
  capWeek: '',
  capMonth: '',
  capTotal: '',
};

export function limitsDraftOf({ expires_at, allowed_models, limits, caps }: Limits): LimitsDraft {
  const number = (value: number | null) => (value === null ? '' : String(value));
  const amount = (value: string | null) => (value === null ? '' : trimZeros(value));
  return {
    expires: expires_at === null ? '' : localMinute(new Date(expires_at)),
    models: allowed_models,
    requestsPerMinute: number(limits.requests_per_minute),
    tokensPerMinute: number(limits.tokens_per_minute),
    openRequests: number(limits.open_requests),
    capDay: amount(caps.day),
    capWeek: amount(caps.week),
    capMonth: amount(caps.month),
    capTotal: amount(caps.total),
  };
}

/** Reads a draft. What is wrong goes to `errors`, by field. */
export function readLimits(draft: LimitsDraft, now: number, errors: Errors): Limits {
  const check = <T>(field: string, result: T | Wrong): T | null => checked(errors, field, result);
  return {
    expires_at: check('expires_at', readExpiry(draft.expires, now)),
    allowed_models: [...draft.models],
    limits: {
      requests_per_minute: check('limits.requests_per_minute', readCount(draft.requestsPerMinute, 1_000_000_000)),
      tokens_per_minute: check('limits.tokens_per_minute', readCount(draft.tokensPerMinute, 1_000_000_000)),
      open_requests: check('limits.open_requests', readCount(draft.openRequests, 1_000_000)),
    },
    caps: {
      day: check('caps.day', readAmount(draft.capDay)),
      week: check('caps.week', readAmount(draft.capWeek)),
      month: check('caps.month', readAmount(draft.capMonth)),
      total: check('caps.total', readAmount(draft.capTotal)),
    },
  };
}

/** Reads a name, as readLimits. */
export function readName(text: string, errors: Errors): string {
  const name = text.trim();
  if (name === '') errors['name'] = 'Enter a name.';
  else if (name.length > 200) errors['name'] = 'A name has at most 200 characters.';
  return name;
}

/** The value, or null and what is wrong with it in `errors`. */
export function checked<T>(errors: Errors, field: string, result: T | Wrong): T | null {
  if (!(result instanceof Wrong)) return result;
  errors[field] = result.message;
  return null;
}

/** Only what differs, so that two people who edit different fields do not undo each other's changes. */
export function limitsChanges(before: LimitsDraft, draft: LimitsDraft, read: Limits): Partial<Limits> {
  const changed = (...fields: (keyof LimitsDraft)[]) =>
    fields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(draft[field]));
  const changes: Partial<Limits> = {};
  if (changed('expires')) changes.expires_at = read.expires_at;
  if (changed('models')) changes.allowed_models = read.allowed_models;
  if (changed('requestsPerMinute', 'tokensPerMinute', 'openRequests')) changes.limits = read.limits;
  if (changed('capDay', 'capWeek', 'capMonth', 'capTotal')) changes.caps = read.caps;
  return changes;
}

/** A time as a `datetime-local` field has it. */
function localMinute(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** What is wrong with the text of a field. */
export class Wrong {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

function readExpiry(text: string, now: number): string | null | Wrong {
  if (text === '') return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return new Wrong('Enter a date and a time.');
  if (time.getTime() <= now) return new Wrong('Enter a time in the future.');
  return time.toISOString();
}

function readCount(text: string, maximum: number): number | null | Wrong {
  const digits = text.replace(/[\s,_]/g, '');
  if (digits === '') return null;
  const value = Number(digits);
  if (!/^\d{1,12}$/.test(digits) || value < 1 || value > maximum) {
    return new Wrong(`Enter a whole number from 1 to ${maximum.toLocaleString('en-US')}, or leave it empty.`);
  }
  return value;
}

/** An amount in dollars; null: none. */
export function readAmount(text: string): string | null | Wrong {
  const amount = text
    .trim()
    .replace(/^\$\s*/, '')
    .replaceAll(',', '');
  if (amount === '') return null;
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(amount)) {
    return new Wrong('Enter an amount in dollars such as 25 or 0.50, or leave it empty.');
  }
  return amount;
}
