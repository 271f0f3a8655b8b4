import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CeilingPeriodLabel,
  ceilingPeriodLabel,
  limitInWindow,
  periodStart,
} from '@tollgate/common/cap-periods';
import type { Ceiling } from '@tollgate/proto/ledger';
import type { CappedPath } from './types.ts';

const DAY_MS = 86_400_000;

/** The limit of a node in one period. */
export interface NodeCeiling {
  nodeId: string;
  period: CeilingPeriodLabel;
  /** Start of the period, Unix milliseconds; 0 for the total, and for a session. */
  startMs: number;
}

/** A limit, and the revision of the node that it comes from. */
export interface Limit {
  nanos: bigint;
  revision: bigint;
}

/** The name of a ceiling in messages. */
export function ceilingName({ nodeId, period, startMs }: NodeCeiling): Ceiling {
  return { nodeId, period: CAP_PERIOD_OF_LABEL[period], periodStartMs: BigInt(startMs) };
}

/** The key of a ceiling in maps of one account. */
export function ceilingKey({ nodeId, period, periodStartMs }: Ceiling): string {
  return nodeId === '' ? '' : `${nodeId}/${period}/${periodStartMs}`;
}

/** The ceiling of a node that the ledger names; undefined for the balance, and for an unknown period. */
export function nodeCeilingOf({ nodeId, period, periodStartMs }: Ceiling): NodeCeiling | undefined {
  const label = ceilingPeriodLabel(period);
  return nodeId === '' || label === undefined ? undefined : { nodeId, period: label, startMs: Number(periodStartMs) };
}

/** The ceilings of a path below the balance, always in the same order, with their limits. */
export function ceilingsOf({ nodes, session, startedAtMs }: CappedPath): { ceiling: NodeCeiling; limit: Limit }[] {
  const ceilings = nodes.flatMap((node) =>
    CAP_PERIODS.flatMap((period) => {
      const startMs = periodStart(period, startedAtMs);
      const nanos = limitInWindow(node, period, startMs);
      if (nanos === undefined) return [];
      const { nodeId, revision } = node;
      return [{ ceiling: { nodeId, period, startMs }, limit: { nanos, revision } }];
    }),
  );
  if (session === undefined) return ceilings;
  const { nodeId, limitNanos: nanos, revision } = session;
  const limit = { nanos, revision };
  return [...ceilings, { ceiling: { nodeId, period: 'session', startMs: 0 }, limit }];
}

/** The key in maps of one account of a path whose requests started on the same day. */
export function pathKey({ nodes, session, startedAtMs }: CappedPath): string {
  let key = String(Math.floor(startedAtMs / DAY_MS));
  for (const { nodeId, revision } of nodes) key += `/${nodeId}/${revision}`;
  return session === undefined ? key : `${key}/${session.nodeId}/${session.revision}`;
}
