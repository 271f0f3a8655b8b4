import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import {
  type LimitTreeNode,
  type ListLimitTreeRequest,
  type ListLimitTreeResponse,
  NodeStatus,
} from '@tollgate/proto/auth';
import { keyCaps } from '../store/keys.ts';
import { listTreeKeys, listTreeNodes, type TreeKeyRow } from '../store/limit-tree.ts';
import { nodeCaps, nodeStatusOf, SCOPE_OF_KIND } from '../store/node-messages.ts';
import { ensureDefaultProject, type NodeRow } from '../store/nodes.ts';

/** Maximum nodes of a response. */
export const MAX_TREE_NODES = 1_000;

/** Lists what limits an account: projects, their owners and keys. */
export function createListLimitTreeHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListLimitTreeRequest, ListLimitTreeResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const projectId = request.projectId === undefined ? undefined : uuidArgument('project_id', request.projectId);
    const parentKeyId =
      request.parentKeyId === undefined ? undefined : uuidArgument('parent_key_id', request.parentKeyId);
    await ensureDefaultProject(pool, accountId);
    // One more than fits says that there are more.
    const most = MAX_TREE_NODES + 1;
    const above = parentKeyId === undefined ? await listTreeNodes(pool, accountId, projectId, most) : [];
    const scope = { accountId, projectId, parentKeyId };
    const keys = above.length >= most ? [] : await listTreeKeys(pool, scope, most - above.length);
    const nowMs = Date.now();
    const nodes = [...above.map((row) => ofNode(row, nowMs)), ...keys.map((row) => ofKey(row, nowMs))];
    return { nodes: nodes.slice(0, MAX_TREE_NODES), isCut: nodes.length > MAX_TREE_NODES };
  };
}

function ofNode(row: NodeRow, nowMs: number): LimitTreeNode {
  return {
    scope: SCOPE_OF_KIND[row.kind],
    nodeId: row.node_id,
    parentId: row.parent_id ?? '',
    name: row.name,
    status: nodeStatusOf(row, nowMs),
    appliedCaps: nodeCaps(row, nowMs),
    hasDerivedKeys: false,
  };
}

function ofKey(row: TreeKeyRow, nowMs: number): LimitTreeNode {
  return {
    scope: SCOPE_OF_KIND.key,
    nodeId: row.key_id,
    parentId: row.parent_key_id ?? row.owner_id ?? row.project_id,
    name: row.name,
    status: row.off ? NodeStatus.OFF : NodeStatus.ACTIVE,
    appliedCaps: keyCaps(row, nowMs),
    hasDerivedKeys: row.has_below,
  };
}
