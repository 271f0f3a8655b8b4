import type { Queryable } from '@tollgate/common/postgres/pool';
import type { IngressSession } from '@tollgate/proto/ledger';

interface SessionRow {
  session_id: string;
  ingress_name: string;
  opened_at_ms: bigint;
  silent_ms: bigint;
  unsettled_charges: bigint;
  oldest_unsettled_ms: bigint;
  leased: bigint;
}

/** The open sessions of ingresses, by name, with what they lease and still have to settle. */
export async function listOpenSessions(db: Queryable, limit: number): Promise<IngressSession[]> {
  const { rows } = await db.query<SessionRow>({
    name: 'list-open-sessions',
    text: `
      SELECT s.session_id::text, s.ingress_name, s.unsettled_charges, s.oldest_unsettled_ms,
             floor(extract(epoch FROM s.opened_at) * 1000)::bigint AS opened_at_ms,
             greatest(0, floor(extract(epoch FROM clock_timestamp() - s.last_heartbeat_at) * 1000))::bigint AS silent_ms,
             coalesce(l.leased, 0)::bigint AS leased
      FROM ledger.sessions s
      CROSS JOIN LATERAL (
        SELECT sum(granted - spent - returned) AS leased FROM ledger.leases l WHERE l.session_id = s.session_id
      ) l
      WHERE s.state = 'open'
      ORDER BY s.ingress_name, s.opened_at, s.session_id LIMIT $1`,
    values: [limit],
  });
  return rows.map((row) => ({
    sessionId: row.session_id,
    ingressName: row.ingress_name,
    openedAtMs: row.opened_at_ms,
    silentMs: row.silent_ms,
    leasedNanos: row.leased,
    unsettledCharges: row.unsettled_charges,
    oldestUnsettledMs: row.oldest_unsettled_ms,
  }));
}
