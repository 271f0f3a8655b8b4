import { RpcError } from '@tollgate/common/errors';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { CapColumns } from '../store/columns.ts';
import { requireWithinDefaults } from '../store/defaults.ts';
import type { KeyPlacement } from '../store/key-place.ts';
import type { KeyRow } from '../store/keys.ts';
import { findNode, type NodeAttributes, type NodeRow } from '../store/nodes.ts';

/** Refuses caps of a key that are more than the defaults of its project and owner, unless it exceeds them. */
export async function requireKeyWithinDefaults(
  db: Queryable,
  place: Pick<KeyRow, 'account_id'> & KeyPlacement,
  given: Partial<CapColumns>,
  { exceeds_defaults }: Pick<KeyRow, 'exceeds_defaults'>,
): Promise<void> {
  const project = await findNode(db, place.account_id, place.project_id);
  const owner = place.owner_id === null ? undefined : await findNode(db, place.account_id, place.owner_id);
  const above = [project, owner].filter((node) => node !== undefined);
  requireWithinDefaults('key', given, exceeds_defaults, above);
}

/**
 * Refuses caps of a service account or a member that are more than the defaults of their project, unless they exceed them, and
 * defaults that a node of this kind does not have.
 */
export async function requireNodeWithinDefaults(
  db: Queryable,
  node: Pick<NodeRow, 'account_id' | 'kind' | 'parent_id' | 'exceeds_defaults'>,
  given: Partial<NodeAttributes>,
): Promise<void> {
  if (node.kind === 'project') {
    if (given.exceeds_defaults)
      throw new RpcError('invalid_argument', 'exceeds_defaults: no defaults are above a project');
    return;
  }
  if (given.each_member_caps) throw new RpcError('invalid_argument', 'each_member: only of a project');
  if (given.each_service_account_caps)
    throw new RpcError('invalid_argument', 'each_service_account: only of a project');
  const project = node.parent_id === null ? undefined : await findNode(db, node.account_id, node.parent_id);
  const exceeds = given.exceeds_defaults ?? node.exceeds_defaults;
  requireWithinDefaults(node.kind, given, exceeds, project === undefined ? [] : [project]);
}
