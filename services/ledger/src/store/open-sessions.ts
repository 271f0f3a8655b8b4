import type { Queryable } from '@tollgate/common/postgres/pool';
import type { IngressSession } from '@tollgate/proto/ledger';

interface SessionRow {
  session_id: string;
  ingress_name: string;
  opened_at_ms: bigint;
  silent_ms: bigint;
  unsettled_charges: bigint;
  oldest_unsettled_ms: bigint;
  /** Null: unknown. */
  leased: bigint | null;
}

/** Maximum leases that are summed, over all sessions. */
const MAX_LEASES = 5_000;

/**
 * The open sessions of ingresses, by name, with what they lease and still have to settle. A session keeps a lease of every
 * account that it has served; what it leases is not summed when it has more than its part of MAX_LEASES.
 */
export async function listOpenSessions(db: Queryable, limit: number): Promise<IngressSession[]> {
  const { rows } = await db.query<SessionRow>({
    name: 'list-open-sessions',
    text: `
      WITH listed AS MATERIALIZED (
        SELECT *, count(*) OVER () AS sessions FROM ledger.sessions
        WHERE state = 'open' ORDER BY ingress_name, opened_at, session_id LIMIT $1
      )
      SELECT s.session_id::text, s.ingress_name, s.unsettled_charges, s.oldest_unsettled_ms,
             floor(extract(epoch FROM s.opened_at) * 1000)::bigint AS opened_at_ms,
             greatest(0, floor(extract(epoch FROM clock_timestamp() - s.last_heartbeat_at) * 1000))::bigint AS silent_ms,
             CASE WHEN l.leases <= $2 / s.sessions THEN l.leased END AS leased
      FROM listed s
      CROSS JOIN LATERAL (
        SELECT count(*) AS leases, coalesce(sum(rest), 0)::bigint AS leased
        FROM (
          SELECT granted - spent - returned AS rest FROM ledger.leases
          WHERE session_id = s.session_id ORDER BY account_id LIMIT $2 / s.sessions + 1
        ) part
      ) l
      ORDER BY s.ingress_name, s.opened_at, s.session_id`,
    values: [limit, MAX_LEASES],
  });
  return rows.map((row) => ({
    sessionId: row.session_id,
    ingressName: row.ingress_name,
    openedAtMs: row.opened_at_ms,
    silentMs: row.silent_ms,
    leasedNanos: row.leased ?? undefined,
    unsettledCharges: row.unsettled_charges,
    oldestUnsettledMs: row.oldest_unsettled_ms,
  }));
}
