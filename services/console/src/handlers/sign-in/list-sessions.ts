import type { Pool } from '@tollgate/common/postgres/pool';
import type { Handler } from '../../http/handler.ts';
import { listSessions } from '../../store/sessions.ts';

/** The sessions of the signed-in person, most recently used first. */
export function createListSessionsHandler({ pool }: { pool: Pool }): Handler<'GET /person/sessions'> {
  return async ({ session }) => {
    const rows = await listSessions(pool, session);
    return {
      data: rows.map((row) => ({
        session_id: row.session_id,
        device: row.device,
        ip_address: row.ip_address,
        created_at: row.created_at.toISOString(),
        last_seen_at: row.last_seen_at.toISOString(),
        kind: row.kind,
        current: row.session_id === session.sessionId,
      })),
    };
  };
}
