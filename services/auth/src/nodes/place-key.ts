import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { mayUseProject } from '../rules/actor-rules.ts';
import { lockAccount } from '../store/accounts.ts';
import type { KeyPlacement } from '../store/key-place.ts';
import type { KeyRow } from '../store/keys.ts';
import { findMember } from '../store/memberships.ts';
import { findNode, type NodeRow } from '../store/nodes.ts';
import { ensureMemberNode } from './add-node.ts';
import { requireLive, requireProject, requireServiceAccount } from './require-node.ts';

/** Where a request moves a key; undefined: where it is. */
export interface WantedPlace {
  projectId: string | undefined;
  /** Empty: no service account. */
  serviceAccountId: string | undefined;
}

/**
 * The place of a new key of a locked account. Without a service account its owner is the member who makes it. Without a project
 * it is in the default one, or the first one of a developer who may use some projects only.
 */
export async function placeNewKey(
  client: PoolClient,
  accountId: string,
  actor: Actor,
  { projectId, serviceAccountId }: { projectId: string | undefined; serviceAccountId: string | undefined },
): Promise<KeyPlacement> {
  if (serviceAccountId !== undefined) return ofServiceAccount(client, accountId, serviceAccountId, projectId);
  const wantedId = projectId ?? (mayUseProject(actor, accountId) ? accountId : (actor.projectIds?.[0] ?? accountId));
  if (!mayUseProject(actor, wantedId)) throw new RpcError('not_found', 'no such project');
  const project = requireLive(await requireProject(client, accountId, wantedId));
  const isPerson = actor.via === 'console' && actor.role !== 'operator';
  return ofMember(client, project, isPerson ? actor.id : undefined, actor);
}

/**
 * The place to which a key is moved. A member who owns it owns it in another project too; a service account does not, as it
 * belongs to its project.
 */
export async function placeKeyAgain(
  client: PoolClient,
  key: KeyRow,
  actor: Actor,
  { projectId: wantedId, serviceAccountId }: WantedPlace,
): Promise<KeyPlacement> {
  const { account_id: accountId } = key;
  const projectId = wantedId ?? key.project_id;
  if ((await lockAccount(client, accountId)) === undefined) throw new Error('a key has no account');
  await requireLiveAbove(client, key);
  if (serviceAccountId !== undefined && serviceAccountId !== '')
    return ofServiceAccount(client, accountId, serviceAccountId, wantedId);
  const project = requireLive(await requireProject(client, accountId, projectId));
  if (serviceAccountId === '') return ofMember(client, project, key.created_by_id ?? undefined, actor);
  const owner = key.owner_id === null ? undefined : await findNode(client, accountId, key.owner_id);
  if (owner === undefined || projectId === key.project_id) return { project_id: projectId, owner_id: key.owner_id };
  if (owner.kind === 'service_account')
    throw new RpcError(
      'invalid_argument',
      'service_account_id: must be set, as the key belongs to a service account of another project',
    );
  const member = { accountId, projectId, personId: owner.person_id ?? '', email: owner.name };
  return { project_id: projectId, owner_id: (await ensureMemberNode(client, member, actor)).node_id };
}

/** Keys of what is deleted are dead for good, as deleted ones are. */
async function requireLiveAbove(client: PoolClient, { account_id, project_id, owner_id }: KeyRow): Promise<void> {
  for (const nodeId of owner_id === null ? [project_id] : [project_id, owner_id]) {
    const node = await findNode(client, account_id, nodeId);
    if (node !== undefined) requireLive(node);
  }
}

async function ofServiceAccount(
  client: PoolClient,
  accountId: string,
  serviceAccountId: string,
  projectId: string | undefined,
): Promise<KeyPlacement> {
  const owner = requireLive(await requireServiceAccount(client, accountId, { serviceAccountId, projectId }));
  return { project_id: owner.parent_id ?? '', owner_id: owner.node_id };
}

/** @param personId undefined: nobody. Nor does a person own a key who is no member of the account */
async function ofMember(
  client: PoolClient,
  { account_id: accountId, node_id: projectId }: NodeRow,
  personId: string | undefined,
  actor: Actor,
): Promise<KeyPlacement> {
  const member = personId === undefined ? undefined : await findMember(client, accountId, personId);
  if (member === undefined) return { project_id: projectId, owner_id: null };
  const { person_id, email } = member;
  const owner = await ensureMemberNode(client, { accountId, projectId, personId: person_id, email }, actor);
  return { project_id: projectId, owner_id: owner.node_id };
}
