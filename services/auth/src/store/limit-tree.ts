import type { Queryable } from '@tollgate/common/postgres/pool';
import { IS_ABOVE, PROJECT_ID } from './key-place.ts';
import { KEY_COLUMNS, type KeyRow } from './keys.ts';
import { NODE_COLUMNS, type NodeRow } from './nodes.ts';

/** Projects and their owners, projects first, in order of creation, without deleted ones. @param projectId undefined: all */
export async function listTreeNodes(
  db: Queryable,
  accountId: string,
  projectId: string | undefined,
  limit: number,
): Promise<NodeRow[]> {
  const { rows } = await db.query<NodeRow>(
    `SELECT ${NODE_COLUMNS} FROM auth.nodes n
     WHERE n.account_id = $1 AND n.deleted_at IS NULL
       AND ($2::uuid IS NULL OR n.node_id = $2 OR n.parent_id = $2)
       -- What is in a deleted project is gone with it.
       AND NOT EXISTS (SELECT FROM auth.nodes p
                       WHERE p.account_id = n.account_id AND p.node_id = n.parent_id AND p.deleted_at IS NOT NULL)
     ORDER BY n.parent_id IS NOT NULL, n.node_id LIMIT $3`,
    [accountId, projectId, limit],
  );
  return rows;
}

/** A key, and whether others are below it. */
export interface TreeKeyRow extends KeyRow {
  has_below: boolean;
}

/** Keys of an account or a project that are below no other one, or right below one, that may be accepted, newest first. */
export async function listTreeKeys(
  db: Queryable,
  {
    accountId,
    projectId,
    parentKeyId,
  }: {
    accountId: string;
    projectId: string | undefined;
    parentKeyId: string | undefined;
  },
  limit: number,
): Promise<TreeKeyRow[]> {
  const { rows } = await db.query<TreeKeyRow>(
    `SELECT ${KEY_COLUMNS},
            EXISTS (SELECT FROM auth.keys c
                    WHERE c.account_id = k.account_id AND c.parent_key_id = k.key_id AND c.deleted_at IS NULL) AS has_below
     FROM auth.keys k
     WHERE k.account_id = $1 AND k.deleted_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
       AND ${parentKeyId === undefined ? 'k.parent_key_id IS NULL AND $3::uuid IS NULL' : 'k.parent_key_id = $3'}
       AND ${projectId === undefined ? '$2::uuid IS NULL' : `${PROJECT_ID} = $2`}
       AND NOT EXISTS (SELECT FROM auth.nodes n WHERE ${IS_ABOVE} AND n.deleted_at IS NOT NULL)
     ORDER BY k.key_id DESC LIMIT $4`,
    [accountId, projectId, parentKeyId, limit],
  );
  return rows;
}
