import { RpcError } from '@tollgate/common/errors';
import { MAX_TAGS } from '../store/above-keys.ts';
import { CAP_FIELDS, type CapColumns, type LimitColumns } from '../store/columns.ts';
import type { KeyAttributes } from '../store/keys.ts';

/** Attributes that the same ones of every key above bound, by their names in JSON. */
const BOUNDED = {
  ...CAP_FIELDS,
  requests_per_minute: 'limits.requests_per_minute',
  tokens_per_minute: 'limits.tokens_per_minute',
  open_requests: 'limits.open_requests',
} as const satisfies Record<keyof (CapColumns & LimitColumns), string>;

/**
 * Refuses attributes of a derived key that are more than the keys above it have. The amounts there are not named, as not everybody
 * who has a key may see them.
 *
 * @param above root first; empty: the key is not derived
 */
export function requireWithin(above: readonly KeyAttributes[], given: Partial<KeyAttributes>): void {
  for (const key of above) {
    for (const [column, field] of Object.entries(BOUNDED)) {
      const bound = key[column as keyof typeof BOUNDED];
      const value = given[column as keyof typeof BOUNDED];
      if (bound !== null && value !== undefined && value !== null && value > bound)
        refuse(field, 'more than a key above it has');
    }
    requireModels(key, given.allowed_models);
    const { expires_at: end } = given;
    if (end !== undefined && end !== null && key.expires_at !== null && end > key.expires_at)
      refuse('expires_at', 'later than the end of a key above it');
    requireTags(key, given.tags);
  }
  if (above.length === 0 || given.tags === undefined) return;
  const names = new Set([...above, { tags: given.tags }].flatMap(({ tags }) => Object.keys(tags)));
  if (names.size > MAX_TAGS) refuse('tags', `at most ${MAX_TAGS}, with the tags of keys above it`);
}

function requireModels({ allowed_models: allowed }: KeyAttributes, models: readonly string[] | undefined): void {
  if (models === undefined || allowed.length === 0) return;
  const other = models.findIndex((model) => !allowed.includes(model));
  if (other !== -1) refuse(`allowed_models[${other}]`, 'a key above it may not call this model');
}

function requireTags({ tags: above }: KeyAttributes, tags: KeyAttributes['tags'] | undefined): void {
  const other = Object.entries(tags ?? {}).find(([name, value]) => Object.hasOwn(above, name) && above[name] !== value);
  if (other !== undefined) refuse(`tags.${other[0]}`, 'a key above it has this tag with another value');
}

function refuse(field: string, problem: string): never {
  throw new RpcError('invalid_argument', `${field}: ${problem}`);
}
