import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  capLimit,
  capPeriodLabel,
  periodStart,
} from '@tollgate/common/cap-periods';
import type { Ceiling } from '@tollgate/proto/ledger';
import type { CappedPath } from './types.ts';

const DAY_MS = 86_400_000;

/** The limit of a node in one period. */
export interface NodeCeiling {
  nodeId: string;
  period: CapPeriodLabel;
  /** Start of the period, Unix milliseconds; 0 for the total. */
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
  const label = capPeriodLabel(period);
  return nodeId === '' || label === undefined ? undefined : { nodeId, period: label, startMs: Number(periodStartMs) };
}

/** The ceilings of a path below the balance, always in the same order, with their limits. */
export function ceilingsOf({ nodes, startedAtMs }: CappedPath): { ceiling: NodeCeiling; limit: Limit }[] {
  return nodes.flatMap(({ nodeId, caps, revision }) =>
    CAP_PERIODS.flatMap((period) => {
      const nanos = capLimit(caps, period);
      if (nanos === undefined) return [];
      return [{ ceiling: { nodeId, period, startMs: periodStart(period, startedAtMs) }, limit: { nanos, revision } }];
    }),
  );
}

/** The key in maps of one account of a path whose requests started on the same day. */
export function pathKey({ nodes, startedAtMs }: CappedPath): string {
  let key = String(Math.floor(startedAtMs / DAY_MS));
  for (const { nodeId, revision } of nodes) key += `/${nodeId}/${revision}`;
  return key;
}
