import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { inTransaction, type PoolClient } from '@tollgate/common/postgres/pool';
import { nodeAttributes } from '../audit/attributes.ts';
import { changedAttributes } from '../audit/differences.ts';
import { type ChangeDependencies, waitForAccountChange } from '../changes/wait-for-propagation.ts';
import { lockAccount, writeAccount } from '../store/accounts.ts';
import { insertAudit } from '../store/audit.ts';
import { grantsAfter } from '../store/grants.ts';
import {
  DEFAULT_PROJECT,
  isNameTaken,
  markNodeDeleted,
  type NodeAttributes,
  type NodeRow,
  writeNode,
} from '../store/nodes.ts';
import { findRevocation, insertRevocation } from '../store/revocations.ts';
import { refuseName } from './add-node.ts';
import { nodeTarget } from './node-target.ts';
import { requireLive } from './require-node.ts';
import { requireNodeWithinDefaults } from './require-within-defaults.ts';

/** A change of a project, a service account or a member in a project. */
export interface NodeChangeOptions {
  accountId: string;
  actor: Actor;
  /** For the audit log, such as `project.update`. */
  action: string;
  /** What the log and the error message of an unfinished wait say. */
  done: string;
  /** Finds it in its locked account. */
  find: (client: PoolClient) => Promise<NodeRow>;
}

/** Changes attributes of a node, and waits until the change is in force for all keys below it at every ingress. */
export function updateNode(
  deps: ChangeDependencies,
  options: NodeChangeOptions,
  attributes: Partial<NodeAttributes>,
  signal: AbortSignal,
): Promise<NodeRow> {
  if (Object.keys(attributes).length === 0) throw new RpcError('invalid_argument', 'no field to change is set');
  return changeNode(
    deps,
    options,
    async (client, known) => {
      requireLive(known);
      requireAllowed(known, attributes);
      await requireNodeWithinDefaults(client, known, attributes);
      const { name } = attributes;
      if (name !== undefined && (await isNameTaken(client, known, name))) refuseName(name);
      return writeNode(client, { ...known, ...attributes, ...grantsAfter(known, attributes) });
    },
    signal,
  );
}

/**
 * Deletes a node with everything below it, and waits until no ingress accepts a key below it. Deleting it again only repeats
 * the wait.
 */
export function deleteNode(
  deps: ChangeDependencies,
  options: NodeChangeOptions,
  signal: AbortSignal,
): Promise<NodeRow> {
  return changeNode(
    deps,
    options,
    async (client, known) => {
      if (known.deleted_at !== null) return undefined;
      if (isDefault(known)) throw new RpcError('failed_precondition', 'the project default cannot be deleted');
      return markNodeDeleted(client, known);
    },
    signal,
  );
}

/**
 * Ingresses learn of it as of a change of the account: it is one message for all keys below the node.
 *
 * @param write returns undefined when there is nothing to change
 */
export async function changeNode(
  deps: ChangeDependencies,
  { accountId, actor, action, done, find }: NodeChangeOptions,
  write: (client: PoolClient, known: NodeRow) => Promise<NodeRow | undefined>,
  signal: AbortSignal,
): Promise<NodeRow> {
  const { node, account, sequence } = await inTransaction(deps.pool, async (client) => {
    const account = await lockAccount(client, accountId);
    if (account === undefined) throw new RpcError('not_found', 'no such account');
    const known = await find(client);
    const written = await write(client, known);
    if (written === undefined) return { node: known, account, sequence: await findRevocation(client, accountId) };
    await audit(client, { actor, action }, known, written);
    const { revision } = await writeAccount(client, account);
    return {
      node: written,
      account,
      sequence: await insertRevocation(client, { kind: 'account', accountId, revision }),
    };
  });
  deps.logger.info({ account_id: accountId, node_id: node.node_id }, done);
  await waitForAccountChange(deps, { account, sequence, done }, signal);
  return node;
}

/** Records a change, unless nothing is different. */
async function audit(
  client: PoolClient,
  { actor, action }: Pick<NodeChangeOptions, 'actor' | 'action'>,
  known: NodeRow,
  written: NodeRow,
): Promise<void> {
  const details = changedAttributes(nodeAttributes(known), nodeAttributes(written));
  const isDeleted = known.deleted_at !== written.deleted_at;
  if (Object.keys(details).length === 0 && !isDeleted) return;
  const target = nodeTarget(written, details);
  await insertAudit(client, { accountId: written.account_id, actor, action, ...target });
}

function isDefault({ node_id, account_id }: NodeRow): boolean {
  return node_id === account_id;
}

/** The project default is always there under its name, as keys without another one are in it. */
function requireAllowed(known: NodeRow, attributes: Partial<NodeAttributes>): void {
  if (!isDefault(known)) return;
  const { name = DEFAULT_PROJECT, disabled_at = null, expires_at = null } = attributes;
  if (name !== DEFAULT_PROJECT) refuseOfDefault('name', 'cannot be renamed');
  if (disabled_at !== null) refuseOfDefault('enabled', 'cannot be switched off; an operator can suspend the account');
  if (expires_at !== null) refuseOfDefault('expires_at_ms', 'cannot end');
}

function refuseOfDefault(field: string, problem: string): never {
  throw new RpcError('failed_precondition', `${field}: the project default ${problem}`);
}
