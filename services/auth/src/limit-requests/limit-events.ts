import { insertEvent } from '@tollgate/common/events/event-log';
import { formatDollars } from '@tollgate/common/money';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { LimitRequestRow } from '../store/limit-requests.ts';

/** Notifies whoever may raise limits of an account that somebody asks for it. */
export async function notifyOfRequest(client: PoolClient, row: LimitRequestRow): Promise<void> {
  const data = texts({
    ...common(row),
    node_name: row.node_name,
    asked_by: row.asked_by_name,
    reason: row.reason,
    limit: amount(row.limit_nanos),
    amount: amount(row.asked_nanos),
  });
  await insertEvent('auth', client, { accountId: row.account_id, type: 'limit.requested', data });
}

/** Notifies who asked for a higher limit of the answer. */
export async function notifyOfAnswer(client: PoolClient, row: LimitRequestRow): Promise<void> {
  const data = texts({
    ...common(row),
    // The name of a member is an e-mail address, which not everybody may see.
    node_name: row.scope === 'member' ? '' : row.node_name,
    person_id: row.asked_by_id,
    answered_by: row.answered_by_name,
    note: row.note,
    limit: amount(row.granted_nanos),
    duration: row.granted_always === true ? 'always' : 'window',
    until: row.granted_until?.toISOString(),
  });
  const type = row.status === 'granted' ? 'limit.granted' : 'limit.declined';
  await insertEvent('auth', client, { accountId: row.account_id, type, data });
}

function common({ limit_request_id, scope, period }: LimitRequestRow) {
  return { limit_request_id, scope, period };
}

/** What is there. */
function texts(data: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).flatMap(([name, text]) => (text ? [[name, text]] : [])));
}

/** Decimal dollars. */
function amount(nanos: bigint | null): string | undefined {
  return nanos === null ? undefined : formatDollars(nanos);
}
