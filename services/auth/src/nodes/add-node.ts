import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import {
  countNodes,
  findMemberNode,
  insertNode,
  type NodeAttributes,
  type NodeKind,
  type NodeRow,
  newNodeAttributes,
} from '../store/nodes.ts';

/** Maximum projects of an account that are not deleted. */
export const MAX_PROJECTS = 1_000;
/** Maximum projects, service accounts and members in projects of an account that are not deleted. */
export const MAX_NODES = 10_000;

export interface NodeToAdd {
  accountId: string;
  kind: NodeKind;
  /** Undefined for a project. */
  projectId: string | undefined;
  /** Of a member. */
  personId?: string;
  attributes: NodeAttributes;
  createdBy: Pick<Actor, 'id' | 'name'>;
}

/** Adds a node to a locked account, as far as it may have more and the name is free. */
export async function addNode(client: PoolClient, node: NodeToAdd): Promise<NodeRow> {
  const { accountId, kind, projectId: parentId, personId, attributes, createdBy } = node;
  await requireRoom(client, accountId, kind);
  const fields = { ...attributes, accountId, nodeId: newId(), parentId, kind, personId, createdBy };
  return (await insertNode(client, fields)) ?? refuseName(attributes.name);
}

/** Says that another node beside it has a name. */
export function refuseName(name: string): never {
  throw new RpcError('already_exists', `name: ${JSON.stringify(name)} is the name of another one`);
}

/** A member of a project of a locked account; added when they are needed first. */
export async function ensureMemberNode(
  client: PoolClient,
  member: { accountId: string; projectId: string; personId: string; email: string },
  createdBy: Pick<Actor, 'id' | 'name'>,
): Promise<NodeRow> {
  const known = await findMemberNode(client, member);
  if (known !== undefined) return known;
  const { accountId, projectId, personId, email } = member;
  const attributes = newNodeAttributes(email, undefined);
  return addNode(client, { accountId, kind: 'member', projectId, personId, attributes, createdBy });
}

async function requireRoom(client: PoolClient, accountId: string, kind: NodeKind): Promise<void> {
  const { projects, nodes } = await countNodes(client, accountId);
  if (kind === 'project' && projects >= MAX_PROJECTS) {
    throw new RpcError('resource_exhausted', `an account can have at most ${MAX_PROJECTS} projects`);
  }
  if (nodes < MAX_NODES) return;
  throw new RpcError(
    'resource_exhausted',
    `an account can have at most ${MAX_NODES} projects, service accounts and members in projects`,
  );
}
