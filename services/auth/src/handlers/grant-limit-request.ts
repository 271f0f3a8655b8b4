import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { GrantDuration, type GrantLimitRequestRequest, type GrantLimitRequestResponse } from '@tollgate/proto/auth';
import { keyAttributes, moneyText, timeText } from '../audit/attributes.ts';
import { changedAttributes, setAttributes } from '../audit/differences.ts';
import { changeKey } from '../changes/change-key.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { notifyOfAnswer } from '../limit-requests/limit-events.ts';
import { type RaisedLimit, raiseLimit, type WantedGrant } from '../limit-requests/raise-limit.ts';
import { limitRequestFor, requireLimitRequest, requireOpen } from '../limit-requests/scope.ts';
import { changeNode } from '../nodes/change-node.ts';
import { requireLive } from '../nodes/require-node.ts';
import { insertAudit } from '../store/audit.ts';
import { type KeyRow, writeKey } from '../store/keys.ts';
import { answerLimitRequest, type LimitRequestRow } from '../store/limit-requests.ts';
import { findNode, type NodeKind, type NodeRow, writeNode } from '../store/nodes.ts';

interface Granting extends WantedGrant {
  actor: Actor;
  request: LimitRequestRow;
  note: string;
}

/** The actions of changes of nodes, for the audit log. */
const ACTIONS: Readonly<Record<NodeKind, string>> = {
  project: 'project.update',
  service_account: 'service_account.update',
  member: 'project_member.update',
};
const DONE = 'the limit is raised';

/** Grants a higher limit, by the same change as an edit of what has the limit. It applies once this has returned. */
export function createGrantLimitRequestHandler(
  deps: ChangeDependencies,
): UnaryHandler<GrantLimitRequestRequest, GrantLimitRequestResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    const limitRequestId = uuidArgument('limit_request_id', request.limitRequestId);
    const known = await requireLimitRequest(deps.pool, { accountId, askedById: undefined }, limitRequestId);
    const granting = {
      actor,
      request: known,
      limitNanos: request.amountNanos,
      always: isAlways(request.duration),
      note: request.note.trim(),
    };
    if (known.scope === 'key' || known.scope === 'session') await grantOfKey(deps, granting, context.signal);
    else await grantOfNode(deps, { ...granting, kind: known.scope }, context.signal);
    const row = await requireLimitRequest(deps.pool, { accountId, askedById: undefined }, limitRequestId);
    return { limitRequest: limitRequestFor(actor, row) };
  };
}

function isAlways(duration: GrantDuration): boolean {
  if (duration === GrantDuration.ALWAYS || duration === GrantDuration.WINDOW) return duration === GrantDuration.ALWAYS;
  throw new RpcError('invalid_argument', 'duration: must be window or always');
}

async function grantOfKey(deps: ChangeDependencies, granting: Granting, signal: AbortSignal): Promise<void> {
  const { request, actor } = granting;
  const { account_id: accountId, scope, node_id, key_id } = request;
  const keyId = scope === 'session' ? key_id : node_id;
  const log = { message: 'the limit of a key is raised', fields: { limit_request_id: request.limit_request_id } };
  await changeKey(
    deps,
    { keyId, accountId, actor, action: 'key.update', done: DONE, log },
    async (client, current) => {
      const raised = await answer(client, granting, current);
      if (raised === undefined) return { key: current, endedValues: [], details: {} };
      const key = await writeKey(client, { ...current, ...raised.attributes });
      return { key, endedValues: [], details: changedAttributes(keyAttributes(current), keyAttributes(key)) };
    },
    signal,
  );
}

async function grantOfNode(
  deps: ChangeDependencies,
  { kind, ...granting }: Granting & { kind: NodeKind },
  signal: AbortSignal,
): Promise<void> {
  const { actor, request } = granting;
  const { account_id: accountId, node_id: nodeId } = request;
  await changeNode(
    deps,
    {
      accountId,
      actor,
      action: ACTIONS[kind],
      done: DONE,
      find: async (client) => {
        const node = await findNode(client, accountId, nodeId);
        if (node === undefined) throw new Error('the node of a limit request is gone');
        return node;
      },
    },
    async (client, known) => {
      requireLive(known);
      const raised = await answer(client, granting, known);
      return raised === undefined ? undefined : writeNode(client, { ...known, ...raised.attributes });
    },
    signal,
  );
}

/**
 * Answers the request in the transaction that raises the limit of its locked key or node.
 *
 * @returns undefined for what the same call has granted before, whose wait is repeated
 */
async function answer(
  client: PoolClient,
  { actor, request, limitNanos, always, note }: Granting,
  row: KeyRow | NodeRow,
): Promise<RaisedLimit | undefined> {
  const { account_id: accountId, limit_request_id: targetId, node_name: targetName } = request;
  const known = await requireLimitRequest(client, { accountId, askedById: undefined }, targetId, true);
  if (known.status === 'granted' && known.granted_nanos === limitNanos && known.granted_always === always) return;
  requireOpen(known);
  const raised = await raiseLimit(client, known, row, { limitNanos, always }, Date.now());
  const { untilMs } = raised;
  const granted = { nanos: limitNanos, always, untilMs };
  const answered = await answerLimitRequest(client, known, { status: 'granted', by: actor, note, granted });
  const details = setAttributes({
    window: known.period,
    amount: moneyText(limitNanos),
    duration: always ? 'for good' : `this ${known.period}`,
    until: timeText(untilMs === undefined ? null : new Date(untilMs)),
    asked_by: known.asked_by_name,
    note,
  });
  await insertAudit(client, { accountId, actor, action: 'limit_request.grant', targetId, targetName, details });
  await notifyOfAnswer(client, answered);
  return raised;
}
