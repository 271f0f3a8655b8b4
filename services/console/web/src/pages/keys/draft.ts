import type { Input, Output } from '../../api/client.ts';
import { type DefaultsDraft, defaultsChanges, defaultsDraftOf } from '../shared/limits/defaults-draft.ts';
import {
  checked,
  type Errors,
  type LimitsDraft,
  limitsChanges,
  limitsDraftOf,
  NO_LIMITS,
  readLimits,
  readName,
  Wrong,
} from '../shared/limits/draft.ts';

export type Key = Output<'GET /accounts/{account_id}/keys/{key_id}'>;
export type NewKey = Input<'POST /accounts/{account_id}/keys'>['body'];
export type KeyChanges = Input<'PATCH /accounts/{account_id}/keys/{key_id}'>['body'];

/** What a form of a key holds: texts as they were typed. */
export interface KeyDraft extends LimitsDraft {
  name: string;
  tags: readonly Tag[];
  /** Of `each_session` alone. */
  defaults: DefaultsDraft;
  exceedsDefaults: boolean;
}

export interface Tag {
  name: string;
  value: string;
}

export const EMPTY_DRAFT: KeyDraft = {
  ...NO_LIMITS,
  name: '',
  tags: [],
  defaults: defaultsDraftOf({}),
  exceedsDefaults: false,
};

export function draftOf(
  key: Pick<
    Key,
    'name' | 'expires_at' | 'allowed_models' | 'limits' | 'caps' | 'tags' | 'each_session' | 'exceeds_defaults'
  >,
): KeyDraft {
  return {
    ...limitsDraftOf(key),
    name: key.name,
    tags: Object.entries(key.tags).map(([name, value]) => ({ name, value })),
    defaults: defaultsDraftOf({ each_session: key.each_session }),
    exceedsDefaults: key.exceeds_defaults,
  };
}

type ReadKey = ReturnType<typeof readLimits> & {
  name: string;
  tags: Record<string, string>;
  each_session: string;
  exceeds_defaults: boolean;
};

/** Reads a draft: the body of a call, or what is wrong by field. */
export function readDraft(
  draft: KeyDraft,
  now: number,
): { body: ReadKey; errors: null } | { body: null; errors: Errors } {
  const errors: Errors = {};
  const body: ReadKey = {
    name: readName(draft.name, errors),
    ...readLimits(draft, now, errors),
    tags: checked(errors, 'tags', readTags(draft.tags)) ?? {},
    // The API takes 0 for none.
    each_session: defaultsChanges(EMPTY_DRAFT.defaults, draft.defaults, errors).each_session ?? '0',
    exceeds_defaults: draft.exceedsDefaults,
  };
  return Object.keys(errors).length === 0 ? { body, errors: null } : { body: null, errors };
}

/** Only what differs from the key, so that two people who edit different fields do not undo each other's changes. */
export function changesOf(key: Key, draft: KeyDraft, body: ReadKey): KeyChanges {
  const before = draftOf(key);
  const changes: KeyChanges = limitsChanges(before, draft, body);
  if (before.name !== draft.name) changes.name = body.name;
  if (JSON.stringify(before.tags) !== JSON.stringify(draft.tags)) changes.tags = body.tags;
  if (before.defaults['each_session'] !== draft.defaults['each_session']) changes.each_session = body.each_session;
  if (before.exceedsDefaults !== draft.exceedsDefaults) changes.exceeds_defaults = body.exceeds_defaults;
  return changes;
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
