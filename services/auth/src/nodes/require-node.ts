import { RpcError } from '@tollgate/common/errors';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { ensureDefaultProject, findNode, type NodeKind, type NodeRow } from '../store/nodes.ts';

/** What kinds of nodes are called in messages. */
const KIND_NAMES: Readonly<Record<NodeKind, string>> = {
  project: 'project',
  service_account: 'service account',
  member: 'member',
};

/** Refuses to change what is deleted. */
export function requireLive(node: NodeRow): NodeRow {
  if (node.deleted_at === null) return node;
  throw new RpcError('failed_precondition', `the ${KIND_NAMES[node.kind]} is deleted`);
}

/** Finds a project of a locked account, a deleted one too. */
export async function requireProject(client: PoolClient, accountId: string, projectId: string): Promise<NodeRow> {
  if (projectId === accountId) await ensureDefaultProject(client, accountId);
  const node = await findNode(client, accountId, projectId);
  if (node?.kind !== 'project') throw new RpcError('not_found', 'no such project');
  return node;
}

/** Finds a service account of a locked account, a deleted one too. @param projectId undefined: in any project */
export async function requireServiceAccount(
  client: PoolClient,
  accountId: string,
  { serviceAccountId, projectId }: { serviceAccountId: string; projectId: string | undefined },
): Promise<NodeRow> {
  const node = await findNode(client, accountId, serviceAccountId);
  const isThere = projectId === undefined || node?.parent_id === projectId;
  if (node?.kind !== 'service_account' || !isThere) throw new RpcError('not_found', 'no such service account');
  return node;
}
