import { HAS_ENDED } from './key-place.ts';
import type { LimitingNode } from './resolvable-keys.ts';

/** A key above a derived one. */
export interface AboveKey extends LimitingNode {
  kind: 'key';
  expires_at: Date | null;
  has_ended: boolean;
  tags: Record<string, string>;
}

/** Numbers that JSON may round are texts. */
export type AboveKeyJson = Readonly<Record<BigColumn | 'revision', string | null>> &
  Pick<
    AboveKey,
    'node_id' | 'name' | 'allowed_models' | 'open_requests' | 'has_ended' | 'tags' | 'exceeds_defaults' | 'grants'
  > & {
    expires_at_ms: number | null;
  };

const BIG_COLUMNS = [
  'day_cap_nanos',
  'week_cap_nanos',
  'month_cap_nanos',
  'total_cap_nanos',
  'requests_per_minute',
  'tokens_per_minute',
  'each_session_nanos',
] as const;
type BigColumn = (typeof BIG_COLUMNS)[number];

/** The keys above a derived key of auth.keys as `k`, root first, as a list of `AboveKeyJson`; null: none. */
export const ABOVE_KEYS = `(
  SELECT jsonb_agg(jsonb_build_object('node_id', p.key_id, 'name', p.name, 'allowed_models', p.allowed_models,
           ${BIG_COLUMNS.map((column) => `'${column}', p.${column}::text`).join(', ')},
           'open_requests', p.open_requests, 'revision', p.revision::text, 'tags', p.tags, 'has_ended', ${HAS_ENDED},
           'exceeds_defaults', p.exceeds_defaults, 'grants', p.grants,
           'expires_at_ms', floor(extract(epoch FROM p.expires_at) * 1000))
         ORDER BY array_position(k.above_key_ids, p.key_id))
  FROM auth.keys p WHERE p.key_id = ANY (k.above_key_ids))`;

export function aboveKeyOf({ expires_at_ms, revision, ...json }: AboveKeyJson): AboveKey {
  const numbers = Object.fromEntries(BIG_COLUMNS.map((column) => [column, bigOf(json[column])])) as Record<
    BigColumn,
    bigint | null
  >;
  const expires_at = expires_at_ms === null ? null : new Date(expires_at_ms);
  return { ...json, ...numbers, kind: 'key', revision: bigOf(revision) ?? 1n, expires_at };
}

function bigOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

/** Maximum tags that the ledger accepts of a charge. */
export const MAX_TAGS = 16;

/**
 * The tags of a key below others: what is above decides. Those that are too many, as tags may have been added above later, are
 * left out from the key's own on.
 */
export function tagsBelow(
  above: readonly { tags: Readonly<Record<string, string>> }[],
  own: Record<string, string>,
): Record<string, string> {
  if (above.length === 0) return own;
  const tags = new Map<string, string>();
  for (const { tags: each } of [...above, { tags: own }])
    for (const [name, value] of Object.entries(each)) if (!tags.has(name)) tags.set(name, value);
  return Object.fromEntries([...tags].slice(0, MAX_TAGS));
}
