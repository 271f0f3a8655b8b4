import type { Input, Output } from '../../api/client.ts';
import { trimZeros } from '../shared/decimal.ts';

export type Key = Output<'GET /accounts/{account_id}/keys/{key_id}'>;
export type NewKey = Input<'POST /accounts/{account_id}/keys'>['body'];
export type KeyChanges = Input<'PATCH /accounts/{account_id}/keys/{key_id}'>['body'];

/** What a form of a key holds: texts as they were typed. */
export interface KeyDraft {
  name: string;
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
  tags: readonly Tag[];
}

export interface Tag {
  name: string;
  value: string;
}

/** What is wrong, by the names that the API gives fields. */
export type Errors = Record<string, string>;

export const EMPTY_DRAFT: KeyDraft = {
  name: '',
  expires: '',
  models: [],
  requestsPerMinute: '',
  tokensPerMinute: '',
  openRequests: '',
  capDay: '',
  capWeek: '',
  capMonth: '',
  capTotal: '',
  tags: [],
};

export function draftOf(
  key: Pick<Key, 'name' | 'expires_at' | 'allowed_models' | 'limits' | 'caps' | 'tags'>,
): KeyDraft {
  const number = (value: number | null) => (value === null ? '' : String(value));
  const amount = (value: string | null) => (value === null ? '' : trimZeros(value));
  return {
    name: key.name,
    expires: key.expires_at === null ? '' : localMinute(new Date(key.expires_at)),
    models: key.allowed_models,
    requestsPerMinute: number(key.limits.requests_per_minute),
    tokensPerMinute: number(key.limits.tokens_per_minute),
    openRequests: number(key.limits.open_requests),
    capDay: amount(key.caps.day),
    capWeek: amount(key.caps.week),
    capMonth: amount(key.caps.month),
    capTotal: amount(key.caps.total),
    tags: Object.entries(key.tags).map(([name, value]) => ({ name, value })),
  };
}

/** Reads a draft: the body of a call, or what is wrong by field. */
export function readDraft(
  draft: KeyDraft,
  now: number,
): { body: NewKey; errors: null } | { body: null; errors: Errors } {
  const errors: Errors = {};
  const check = <T>(field: string, result: T | Wrong): T | null => {
    if (!(result instanceof Wrong)) return result;
    errors[field] = result.message;
    return null;
  };
  const name = draft.name.trim();
  if (name === '') errors['name'] = 'Enter a name.';
  else if (name.length > 200) errors['name'] = 'A name has at most 200 characters.';
  const body: NewKey = {
    name,
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
    tags: check('tags', readTags(draft.tags)) ?? {},
  };
  return Object.keys(errors).length === 0 ? { body, errors: null } : { body: null, errors };
}

/** Only what differs from the key, so that two people who edit different fields do not undo each other's changes. */
export function changesOf(key: Key, draft: KeyDraft, body: NewKey): KeyChanges {
  const before = draftOf(key);
  const changed = (...fields: (keyof KeyDraft)[]) =>
    fields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(draft[field]));
  const changes: KeyChanges = {};
  if (changed('name')) changes.name = body.name;
  if (changed('expires')) changes.expires_at = body.expires_at ?? null;
  if (changed('models')) changes.allowed_models = body.allowed_models;
  if (changed('requestsPerMinute', 'tokensPerMinute', 'openRequests')) changes.limits = body.limits;
  if (changed('capDay', 'capWeek', 'capMonth', 'capTotal')) changes.caps = body.caps;
  if (changed('tags')) changes.tags = body.tags;
  return changes;
}

/** A time as a `datetime-local` field has it. */
export function localMinute(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

class Wrong {
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

function readAmount(text: string): string | null | Wrong {
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

function readTags(tags: readonly Tag[]): Record<string, string> | Wrong {
  const given = tags.filter((tag) => tag.name.trim() !== '' || tag.value.trim() !== '');
  if (given.length > 16) return new Wrong('A key has at most 16 tags.');
  const result: Record<string, string> = {};
  for (const tag of given) {
    const name = tag.name.trim();
    const value = tag.value.trim();
    if (name === '' || value === '') return new Wrong('Each tag needs a name and a value.');
    if (name.length > 64) return new Wrong('The name of a tag has at most 64 characters.');
    if (value.length > 256) return new Wrong('The value of a tag has at most 256 characters.');
    if (name in result) return new Wrong(`The tag ${name} is there twice.`);
    result[name] = value;
  }
  return result;
}
