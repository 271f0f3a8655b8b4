import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import type { Charge, HeldNode } from '@tollgate/proto/ledger';
import { exactAmount } from './amounts.ts';
import { KEYS, PLACES, periodNumbers, RUNS } from './ceilings.ts';
import type { RecordStep } from './steps.ts';

const DAY_MS = 86_400_000;

/** Creates ids that are the same in each run of a history: UUIDv7s of the given times. */
export class Ids {
  #count = 0;

  at(ms: number): string {
    this.#count += 1;
    const time = Math.floor(ms).toString(16).padStart(12, '0');
    // The counter is at the front and at the end, so the order of ids is not the order of their creation.
    const mixed = ((this.#count * 40_503) % 4_096).toString(16).padStart(3, '0');
    const rest = this.#count.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${mixed}-8000-${rest}`;
  }
}

/** The record that a step describes, of a request that started then. */
export function recordOf(
  step: RecordStep,
  ids: Ids,
  { nowMs, accountId, sessionId, maxAgeMs }: { nowMs: number; accountId: string; sessionId: string; maxAgeMs: number },
): Charge {
  // Accounts with one of the discounts have prices of their own too.
  const isOwn = step.discountPpm === 500_000;
  const lines = step.lines.map(({ bucket, quantity, rate }) => ({
    bucket,
    quantity,
    rateNanosPerMillion: rate,
    amountNanos: exactAmount(quantity, rate, step.discountPpm),
    listRateNanosPerMillion: isOwn ? listRateOf(rate) : undefined,
  }));
  const baseCostNanos = lines.reduce(
    (sum, line) => sum + exactAmount(line.quantity, listRateOf(line.rateNanosPerMillion), 0),
    0n,
  );
  const costNanos = lines.reduce((sum, line) => sum + line.amountNanos, 0n);
  const startedAt = timeOf(step, nowMs, maxAgeMs);
  const charge = buildCharge(
    {
      requestId: ids.at(startedAt),
      accountId,
      sessionId,
      keyId: KEYS[step.key],
      caps: periodNumbers(step.caps),
      nodes: [...nodesAbove(step), ...runOf(step)],
      traceId: '0123456789abcdef0123456789abcdef',
      startedAtMs: BigInt(startedAt),
      lines,
      holdNanos: (costNanos * step.holdPercent) / 100n,
      discountPpm: step.discountPpm,
      baseCostNanos: isOwn ? baseCostNanos : undefined,
      tags: step.agoMs === 10_000 ? { team: 'search' } : {},
    },
    costNanos,
  );
  return spoiled(charge, step.fault);
}

function nodesAbove({ place, capsAbove }: RecordStep): HeldNode[] {
  const caps = periodNumbers(capsAbove);
  return (PLACES[place] ?? []).map((nodeId) => ({ nodeId, caps, name: 'node', scope: 'project' }));
}

function runOf({ run, isRunHeld }: RecordStep): HeldNode[] {
  if (run === undefined) return [];
  return [{ nodeId: RUNS[run], caps: periodNumbers(isRunHeld ? ['session'] : []), name: 'run', scope: 'session' }];
}

/** Gives ties of half a nano-dollar too. */
function listRateOf(rate: bigint): bigint {
  return rate + 500_000n;
}

/** The same request with different content, as in a journal that was tampered with. */
export function changed(charge: Charge): Charge {
  if (charge.tags['team'] !== undefined) return { ...charge, tags: { team: `${charge.tags['team']}!` } };
  return { ...charge, holdNanos: charge.holdNanos + 1n };
}

function timeOf({ fault, agoMs }: RecordStep, nowMs: number, maxAgeMs: number): number {
  switch (fault) {
    case 'old':
      return nowMs - maxAgeMs - 1_000;
    case 'future':
      return nowMs + DAY_MS;
    case 'request_id':
    case 'session_id':
    case 'amount':
    case 'sum':
    case 'stranger':
    case 'nul':
    case 'nodes':
    case undefined:
      return nowMs - agoMs;
    default:
      return fault satisfies never;
  }
}

function spoiled(charge: Charge, fault: RecordStep['fault']): Charge {
  switch (fault) {
    case 'request_id':
      return { ...charge, requestId: 'no id' };
    case 'session_id':
      return { ...charge, sessionId: `${charge.sessionId}0` };
    case 'amount':
      return bent(charge);
    case 'sum':
      if (charge.baseCostNanos !== undefined) return { ...charge, baseCostNanos: charge.baseCostNanos + 1n };
      return { ...charge, costNanos: charge.costNanos + 1n };
    case 'stranger':
      return { ...charge, accountId: '0190f4a8-0000-7000-8000-0000000000ff' };
    case 'nodes':
      return { ...charge, nodes: [...charge.nodes, { nodeId: charge.keyId, caps: [], name: '', scope: 'project' }] };
    case 'nul':
      return { ...charge, finishReason: 'st\0p' };
    case 'old':
    case 'future':
    case undefined:
      return charge;
    default:
      return fault satisfies never;
  }
}

/** One line's amount is rounded the wrong way; the sum matches it. */
function bent(charge: Charge): Charge {
  const [first, ...rest] = charge.lines;
  if (first === undefined) return { ...charge, costNanos: 1n };
  const lines = [{ ...first, amountNanos: first.amountNanos + 1n }, ...rest];
  return { ...charge, lines, costNanos: charge.costNanos + 1n };
}
