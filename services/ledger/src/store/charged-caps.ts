import type { CeilingPeriodLabel } from '@tollgate/common/cap-periods';
import type { Statement } from '@tollgate/common/postgres/pipeline';
import { arrayText, PairMap } from './batch.ts';
import { type NamedCap, part } from './ceilings.ts';

/** A node whose caps charges may count towards. */
export interface NodeOfAccount {
  accountId: string;
  nodeId: string;
}

/** An existing cap of a node. */
export interface ExistingCap {
  period: CeilingPeriodLabel;
  startMs: number;
  /** What can be charged to it before an event reports its spending, nano-dollars; null: all is reported. */
  untilAlert: bigint | null;
}

/** Existing caps, by account and node. */
export type CapsOfNodes = PairMap<ExistingCap[]>;

/** The caps of these nodes that exist for periods with these starts, of whichever period. */
export function readCaps(nodes: readonly NodeOfAccount[], startsMs: ReadonlySet<number>): Statement<CapsOfNodes> {
  return {
    name: 'read-caps',
    text: `
      SELECT c.account_id, c.node_id, c.period, c.period_start_ms,
             CASE WHEN c.alerted_percent < 50 THEN ${part(50)} WHEN c.alerted_percent < 75 THEN ${part(75)}
               WHEN c.alerted_percent < 90 THEN ${part(90)} WHEN c.alerted_percent < 100 THEN c.limit_nanos END - c.spent
      FROM unnest($1::uuid[], $2::uuid[]) AS w (account_id, node_id)
      JOIN ledger.ceilings c USING (account_id, node_id)
      WHERE c.period_start_ms = ANY ($3::bigint[])`,
    values: [
      arrayText(nodes.map((node) => node.accountId)),
      arrayText(nodes.map((node) => node.nodeId)),
      arrayText([...startsMs]),
    ],
    read: (rows) => {
      const caps: CapsOfNodes = new PairMap();
      for (const [accountId, nodeId, period, startMs, untilAlert] of rows) {
        const cap: ExistingCap = {
          period: period as CeilingPeriodLabel,
          startMs: Number(startMs),
          untilAlert: untilAlert == null ? null : BigInt(untilAlert),
        };
        const known = caps.get(accountId ?? '', nodeId ?? '');
        if (known === undefined) caps.set(accountId ?? '', nodeId ?? '', [cap]);
        else known.push(cap);
      }
      return caps;
    },
  };
}

/** What a batch charges to one cap. */
export interface CapSpending extends NamedCap, Pick<ExistingCap, 'untilAlert'> {
  /** Nano-dollars. */
  charged: bigint;
  /** The parts charged by requests that sessions held under the cap, by session, nano-dollars. */
  underCap: Map<string, bigint>;
}

/**
 * Counts settled charges on the caps of their nodes. Charges of requests held under a cap are taken from their session's part
 * of it, up to what remains; all of them count as spent. The accounts' balances must be locked, so that the rows of leases stay
 * where they were found.
 */
export function spendCaps(spendings: readonly CapSpending[]): Statement<void> {
  const parts = spendings.flatMap(({ underCap }, index) =>
    [...underCap].map(([sessionId, amount]) => ({ cap: index + 1, sessionId, amount })),
  );
  // Parts name their cap and session by place: their ids would be most of the statement.
  const sessions = [...new Set(parts.map(({ sessionId }) => sessionId))];
  const places = new Map(sessions.map((sessionId, index) => [sessionId, index + 1]));
  return {
    name: 'spend-caps',
    text: `
      WITH parts AS (
        SELECT p.cap, l.ctid, least(p.amount, l.granted - l.spent - l.returned) AS moved
        FROM unnest($6::int[], $7::int[], $8::bigint[]) AS p (cap, session, amount)
        JOIN ledger.ceiling_leases l ON l.account_id = ($1::uuid[])[p.cap] AND l.node_id = ($2::uuid[])[p.cap]
          AND l.period = ($3::ledger.cap_period[])[p.cap] AND l.period_start_ms = ($4::bigint[])[p.cap]
          AND l.session_id = ($9::uuid[])[p.session]
      ), leases AS (
        UPDATE ledger.ceiling_leases l SET spent = l.spent + p.moved
        FROM parts p
        WHERE p.moved > 0 AND l.ctid = p.ctid
      )
      UPDATE ledger.ceilings c SET spent = c.spent + s.charged, leased = c.leased - s.moved
      FROM (
        SELECT cap, sum(charged)::bigint AS charged, sum(moved)::bigint AS moved
        FROM (
          SELECT cap, charged, 0::bigint AS moved FROM unnest($5::bigint[]) WITH ORDINALITY AS c (charged, cap)
          UNION ALL
          SELECT cap, 0, moved FROM parts
        ) AS each GROUP BY 1
      ) AS s
      WHERE c.account_id = ($1::uuid[])[s.cap] AND c.node_id = ($2::uuid[])[s.cap]
        AND c.period = ($3::ledger.cap_period[])[s.cap] AND c.period_start_ms = ($4::bigint[])[s.cap]`,
    values: [
      arrayText(spendings.map((spending) => spending.accountId)),
      arrayText(spendings.map((spending) => spending.nodeId)),
      arrayText(spendings.map((spending) => spending.period)),
      arrayText(spendings.map((spending) => spending.startMs)),
      arrayText(spendings.map((spending) => spending.charged)),
      arrayText(parts.map(({ cap }) => cap)),
      arrayText(parts.map(({ sessionId }) => places.get(sessionId) ?? 0)),
      arrayText(parts.map(({ amount }) => amount)),
      arrayText(sessions),
    ],
    read: () => undefined,
  };
}
