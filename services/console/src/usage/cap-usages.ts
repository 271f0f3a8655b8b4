import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  cappedPeriods,
  capStanding,
  periodEnd,
} from '@tollgate/common/cap-periods';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { atLeastZero } from '@tollgate/common/money';
import type { AppliedCap, AppliedCaps } from '@tollgate/proto/auth';
import type { CapUsage as ShownCap } from '@tollgate/proto/console/keys';
import type { CapUsage, LedgerServiceClient } from '@tollgate/proto/ledger';
import { capReachedAt } from './cap-forecast.ts';

/** A key, or a node above keys, with the caps in force of it. */
export interface CappedNode {
  nodeId: string;
  appliedCaps: AppliedCaps | undefined;
}

/** Each cap in force of a node in its current period. @param used what is spent and held of caps, also of other nodes */
export function capUsagesOf({ nodeId, appliedCaps }: CappedNode, used: readonly CapUsage[], nowMs: number): ShownCap[] {
  return CAP_PERIODS.flatMap((period) => {
    const cap = appliedCaps?.[period];
    if (cap === undefined) return [];
    const isUsed = (usage: CapUsage) => usage.nodeId === nodeId && usage.period === CAP_PERIOD_OF_LABEL[period];
    return [shownCap(period, cap, used.find(isUsed), nowMs)];
  });
}

/** @param used undefined: nothing is spent */
function shownCap(period: CapPeriodLabel, cap: AppliedCap, used: CapUsage | undefined, nowMs: number): ShownCap {
  const standing = capStanding(period, cap.limitNanos, used, nowMs);
  const { startMs, limitNanos, spentNanos, heldNanos } = standing;
  const endMs = periodEnd(period, startMs);
  const reachedAtMs = endMs === undefined ? undefined : capReachedAt({ spentNanos, limitNanos, startMs, endMs, nowMs });
  return {
    period: CAP_PERIOD_OF_LABEL[period],
    limitNanos,
    spentNanos,
    heldNanos,
    leftNanos: atLeastZero(standing.leftNanos - heldNanos),
    // The ledger learns of a raised cap by the next request.
    reached: spentNanos >= limitNanos || (used?.reached === true && used.limitNanos === limitNanos),
    resetsAtMs: endMs === undefined ? undefined : BigInt(endMs),
    setBy: cap.setBy,
    reachedAtMs: reachedAtMs === undefined ? undefined : BigInt(reachedAtMs),
  };
}

/** What is spent and held of the caps in force of nodes of one account, at most 1,000. */
export async function readCapUsage(
  ledger: LedgerServiceClient,
  accountId: string,
  nodes: readonly CappedNode[],
  options: UnaryCallOptions,
): Promise<CapUsage[]> {
  const capped = cappedPeriods(nodes.map(({ nodeId, appliedCaps }) => ({ nodeId, caps: amountsOf(appliedCaps) })));
  if (capped.length === 0) return [];
  return (await unaryCall(ledger.getCapUsage.bind(ledger), { accountId, nodes: capped }, options)).caps;
}

function amountsOf(caps: AppliedCaps | undefined) {
  return {
    dayNanos: caps?.day?.limitNanos,
    weekNanos: caps?.week?.limitNanos,
    monthNanos: caps?.month?.limitNanos,
    totalNanos: caps?.total?.limitNanos,
  };
}
