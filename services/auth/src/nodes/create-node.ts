import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { nodeAttributes } from '../audit/attributes.ts';
import { setAttributes } from '../audit/differences.ts';
import { requireCurrentRole } from '../people/current-role.ts';
import { lockAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import type { NodeAttributes, NodeRow } from '../store/nodes.ts';
import { addNode } from './add-node.ts';
import { nodeTarget } from './node-target.ts';
import { requireLive, requireProject } from './require-node.ts';
import { requireNodeWithinDefaults } from './require-within-defaults.ts';

export interface NodeCreation {
  accountId: string;
  actor: Actor;
  /** For the audit log, such as `project.create`. */
  action: string;
  /** Undefined: it is a project itself. Otherwise a service account of this one. */
  projectId: string | undefined;
  attributes: NodeAttributes;
}

/** Creates a project or a service account. No key is below it, so that no ingress has to know. */
export async function createNode(pool: Pool, creation: NodeCreation): Promise<NodeRow> {
  const { accountId, actor, action, projectId, attributes } = creation;
  return inTransaction(pool, async (client) => {
    if ((await lockAccount(client, accountId)) === undefined) throw new RpcError('not_found', 'no such account');
    await requireCurrentRole(client, actor, accountId);
    const kind = await kindBelow(client, accountId, projectId);
    await requireNodeWithinDefaults(
      client,
      { account_id: accountId, kind, parent_id: projectId ?? null, ...attributes },
      attributes,
    );
    const node = await addNode(client, { accountId, kind, projectId, attributes, createdBy: actor });
    const target = nodeTarget(node, setAttributes(nodeAttributes(node)));
    await insertAudit(client, { accountId, actor, action, ...target });
    return node;
  });
}

async function kindBelow(
  client: PoolClient,
  accountId: string,
  projectId: string | undefined,
): Promise<'project' | 'service_account'> {
  // Also for its name, which no other project may have.
  const project = await requireProject(client, accountId, projectId ?? accountId);
  requireLive(project);
  return projectId === undefined ? 'project' : 'service_account';
}
