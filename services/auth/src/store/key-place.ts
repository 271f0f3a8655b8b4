import { type KeyOwner, OwnerKind } from '@tollgate/proto/auth';
import { type DefaultsJson, defaultsJson } from './defaults.ts';
import { IS_OFF } from './nodes.ts';

// Where keys are, as columns and conditions of auth.keys as `k`. A key without a project is in the one named `default`; it is from
// before projects, or of a service of that release, and belongs to the member there who made it.

/** The project of a key. */
export const PROJECT_ID = 'coalesce(k.project_id, k.account_id)';

const OWNER_ID = `CASE WHEN k.project_id IS NOT NULL THEN k.owner_id ELSE (
  SELECT m.node_id FROM auth.nodes m
  WHERE m.account_id = k.account_id AND m.parent_id = k.account_id AND m.person_id = k.created_by_id AND m.kind = 'member'
) END`;

/** The condition that a node of auth.nodes as `n` is above a key. */
export const IS_ABOVE = `n.account_id = k.account_id AND n.node_id IN (${PROJECT_ID}, ${OWNER_ID})`;

/** The condition that a key, of auth.keys as `p`, takes those below it along. */
export const HAS_ENDED = `(p.deleted_at IS NOT NULL OR (p.expires_at IS NOT NULL AND p.expires_at <= clock_timestamp()))`;

/** Who made a key or, of a derived one, the key at its root. */
export const MAKER_ID = `CASE WHEN k.above_key_ids IS NULL THEN k.created_by_id
  ELSE (SELECT r.created_by_id FROM auth.keys r WHERE r.key_id = k.above_key_ids[1]) END`;

/** Columns of the place of a key, in the shape of `KeyPlace`. */
export const PLACE_COLUMNS = `${PROJECT_ID} AS project_id,
  coalesce((SELECT n.name FROM auth.nodes n WHERE n.account_id = k.account_id AND n.node_id = ${PROJECT_ID}), 'default')
    AS project_name,
  ${OWNER_ID} AS owner_id,
  (SELECT jsonb_build_object('kind', n.kind, 'id', coalesce(n.person_id, n.node_id), 'name', n.name)
   FROM auth.nodes n WHERE n.account_id = k.account_id AND n.node_id = ${OWNER_ID}) AS owner,
  (SELECT jsonb_agg(${defaultsJson('n')} ORDER BY n.parent_id NULLS LAST) FROM auth.nodes n WHERE ${IS_ABOVE}) AS defaults,
  (SELECT min(p.each_session_nanos) FROM auth.keys p WHERE p.key_id = ANY (k.above_key_ids)) AS above_session_nanos,
  EXISTS (SELECT FROM auth.nodes n WHERE ${IS_ABOVE} AND ${IS_OFF})
    OR EXISTS (SELECT FROM auth.keys p WHERE p.key_id = ANY (k.above_key_ids) AND ${HAS_ENDED}) AS off`;

/** The nodes that a key is below. */
export interface KeyPlacement {
  project_id: string;
  /** The node of a member or a service account; null: none. */
  owner_id: string | null;
}

/** The nodes that a key is below, and what is shown of them. */
export interface KeyPlace extends KeyPlacement {
  project_name: string;
  /** With the id of the person or the service account. */
  owner: { kind: 'member' | 'service_account'; id: string; name: string } | null;
  /** What they set for what is below, the owner first; null: there are none yet. */
  defaults: DefaultsJson[] | null;
  /** The least that keys above it set for sessions. */
  above_session_nanos: bigint | null;
  /** Whether one of them, or a key above it, is switched off, has ended or is deleted. */
  off: boolean;
}

/** The wire form of the owner of a key. */
export function toOwner({ owner }: Pick<KeyPlace, 'owner'>): KeyOwner | undefined {
  if (owner === null) return undefined;
  const { kind, id, name } = owner;
  return { kind: kind === 'member' ? OwnerKind.MEMBER : OwnerKind.SERVICE_ACCOUNT, id, name };
}
