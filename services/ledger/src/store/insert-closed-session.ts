import type { PoolClient } from '@tollgate/common/postgres/pool';

/** Records a session of the ledger's own that has ended already: what is granted to it is spent in the same transaction. */
export async function insertClosedSession(client: PoolClient, sessionId: string, name: string): Promise<void> {
  await client.query({
    name: 'insert-closed-session',
    text: `
      INSERT INTO ledger.sessions (session_id, ingress_name, epoch, state, ended_at, ended_by)
      SELECT $1, $2, epoch, 'closed', clock_timestamp(), 'close' FROM ledger.meta`,
    values: [sessionId, name],
  });
}
