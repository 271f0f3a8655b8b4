import type { Actor } from '@tollgate/common/actors/token';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { setAttributes } from '../audit/differences.ts';
import { insertAudit } from '../store/audit.ts';
import { answerLimitRequest, type LimitRequestRow } from '../store/limit-requests.ts';
import { notifyOfAnswer } from './limit-events.ts';
import { requireLimitRequest, requireOpen } from './scope.ts';

/** The end of a limit request that changes no limit. */
export interface RequestEnd {
  accountId: string;
  limitRequestId: string;
  actor: Actor;
  status: 'declined' | 'withdrawn';
  /** For the audit log. */
  action: 'limit_request.decline' | 'limit_request.withdraw';
  note: string;
}

/** Declines or withdraws a limit request that is open; only who asked withdraws it. */
export function endRequest(pool: Pool, end: RequestEnd): Promise<LimitRequestRow> {
  const { accountId, limitRequestId, actor, status, action, note } = end;
  return inTransaction(pool, async (client) => {
    const scope = { accountId, askedById: status === 'withdrawn' ? actor.id : undefined };
    const known = await requireLimitRequest(client, scope, limitRequestId, true);
    requireOpen(known);
    const row = await answerLimitRequest(client, known, { status, by: actor, note });
    const target = { targetId: limitRequestId, targetName: row.node_name, details: setAttributes({ note }) };
    await insertAudit(client, { accountId, actor, action, ...target });
    if (status === 'declined') await notifyOfAnswer(client, row);
    return row;
  });
}
