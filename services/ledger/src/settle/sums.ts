import { CAP_PERIOD_OF_LABEL } from '@tollgate/common/cap-periods';
import type { Charge, HeldNode } from '@tollgate/proto/ledger';
import type { AccountCharge } from '../store/balances.ts';
import { PairMap } from '../store/batch.ts';
import { type Cap, type CapSpending, capKey, capsAt, countedNodes, pathOf, placeOf } from '../store/ceilings.ts';
import type { LeaseSpending } from '../store/leases.ts';
import type { NodeSum } from '../store/node-usage.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';
import type { KeyPlace, UsageSum } from '../store/usage.ts';
import { bucketIndex, USAGE_BUCKETS } from '../store/usage.ts';
import type { Posting } from './plan-settlement.ts';
import type { SettlementRecord } from './settlement-record.ts';

/** The leases of records. */
export function leasesOf(records: readonly SettlementRecord[]): { accountId: string; sessionId: string }[] {
  const leases = new PairMap<{ accountId: string; sessionId: string }>();
  for (const { charge } of records) {
    const { accountId, sessionId } = charge;
    if (leases.get(accountId, sessionId) === undefined) leases.set(accountId, sessionId, { accountId, sessionId });
  }
  return leases.values();
}

/** The caps that records may count towards: of the nodes of their paths, in the periods in which their requests started. */
export function capsOf(records: readonly SettlementRecord[]): Cap[] {
  const days = new PairMap<Set<number>>();
  const caps = new Map<string, Cap>();
  const add = (accountId: string, node: Pick<HeldNode, 'nodeId' | 'scope'>, dayMs: number) => {
    const { nodeId } = node;
    let known = days.get(accountId, nodeId);
    if (known === undefined) {
      known = new Set();
      days.set(accountId, nodeId, known);
    }
    if (known.has(dayMs)) return;
    known.add(dayMs);
    for (const cap of capsAt(accountId, node, dayMs)) caps.set(capKey(cap), cap);
  };
  for (const { charge } of records) {
    const dayMs = dayOf(charge);
    for (const node of pathOf(charge)) add(charge.accountId, node, dayMs);
  }
  return [...caps.values()];
}

function dayOf({ startedAtMs }: Charge): number {
  const startMs = Number(startedAtMs);
  return startMs - (startMs % DAY_MS);
}

/** The amounts that postings take from each lease. */
export function spendingsOf(postings: readonly Posting[]): LeaseSpending[] {
  const spendings = new PairMap<LeaseSpending>();
  for (const { record, chargedNanos } of postings) {
    if (chargedNanos === 0n) continue;
    const { accountId, sessionId } = record.charge;
    const spending = spendings.get(accountId, sessionId);
    if (spending === undefined) spendings.set(accountId, sessionId, { accountId, sessionId, amount: chargedNanos });
    else spending.amount += chargedNanos;
  }
  return spendings.values();
}

/** The amounts that postings move on each account. */
export function movesOf(postings: readonly Posting[]): AccountCharge[] {
  const moves = new Map<string, AccountCharge>();
  for (const { record, chargedNanos } of postings) {
    const { accountId, costNanos } = record.charge;
    if (costNanos === 0n) continue;
    const move = moves.get(accountId);
    if (move === undefined) moves.set(accountId, { accountId, charged: chargedNanos, cost: costNanos });
    else {
      move.charged += chargedNanos;
      move.cost += costNanos;
    }
  }
  return [...moves.values()];
}

/** Sums charges by account, hour of their start (UTC), key with its place, and model. */
export function sumHours(postings: readonly Posting[]): UsageSum[] {
  const sums = new PairMap<Map<string, UsageSum[]>>();
  for (const { record, chargedNanos } of postings) {
    const { charge } = record;
    const startedAt = Number(charge.startedAtMs);
    const sum = sumOf(sums, charge, startedAt - (startedAt % HOUR_MS));
    sum.requests++;
    sum.chargedNanos += chargedNanos;
    sum.costNanos += charge.costNanos;
    for (const line of charge.lines) {
      const index = bucketIndex(line.bucket);
      if (index !== undefined) sum.quantities[index] = (sum.quantities[index] ?? 0n) + line.quantity;
    }
  }
  return sums.values().flatMap((models) => [...models.values()].flat());
}

/** The sum that a charge belongs to, created if it is missing. */
function sumOf(sums: PairMap<Map<string, UsageSum[]>>, charge: Charge, startMs: number): UsageSum {
  const { accountId, keyId, model } = charge;
  let models = sums.get(accountId, keyId);
  if (models === undefined) {
    models = new Map();
    sums.set(accountId, keyId, models);
  }
  let hours = models.get(model);
  if (hours === undefined) {
    hours = [];
    models.set(model, hours);
  }
  const place = placeOf(charge);
  let sum = hours.find((hour) => hour.startMs === startMs && isSamePlace(hour, place));
  if (sum === undefined) {
    const quantities = USAGE_BUCKETS.map(() => 0n);
    sum = { accountId, startMs, keyId, model, ...place, requests: 0, chargedNanos: 0n, costNanos: 0n, quantities };
    hours.push(sum);
  }
  return sum;
}

function isSamePlace(one: KeyPlace, other: KeyPlace): boolean {
  return one.projectId === other.projectId && one.ownerId === other.ownerId;
}

/** Sums in layers with one sum for each row of a roll-up: one layer, unless a key moved within the batch. */
export function layersOf(sums: readonly UsageSum[]): UsageSum[][] {
  const layers: UsageSum[][] = [];
  const depths = new Map<string, number>();
  for (const sum of sums) {
    const row = `${sum.accountId}/${sum.keyId}/${sum.startMs}/${sum.model}`;
    const depth = depths.get(row) ?? 0;
    depths.set(row, depth + 1);
    const layer = layers[depth];
    if (layer === undefined) layers.push([sum]);
    else layer.push(sum);
  }
  return layers;
}

/** Sums hours by their day (UTC). */
export function sumDays(hours: readonly UsageSum[]): UsageSum[] {
  const days = new Map<string, UsageSum>();
  for (const hour of hours) {
    const startMs = hour.startMs - (hour.startMs % DAY_MS);
    const key = `${hour.accountId}/${hour.keyId}/${hour.projectId}/${hour.ownerId}/${startMs}/${hour.model}`;
    const day = days.get(key);
    if (day === undefined) {
      days.set(key, { ...hour, startMs, quantities: [...hour.quantities] });
      continue;
    }
    day.requests += hour.requests;
    day.chargedNanos += hour.chargedNanos;
    day.costNanos += hour.costNanos;
    day.quantities = day.quantities.map((quantity, index) => quantity + (hour.quantities[index] ?? 0n));
  }
  return [...days.values()];
}

/** Sums charges by existing cap and session, including charges of requests held before their cap existed. */
export function sumCaps(postings: readonly Posting[], existing: ReadonlyMap<string, unknown>): CapSpending[] {
  const sums = new Map<string, CapSpending>();
  for (const { record, chargedNanos } of postings) {
    if (chargedNanos === 0n) continue;
    const { accountId, sessionId, startedAtMs, caps } = record.charge;
    for (const node of pathOf(record.charge, caps)) {
      for (const cap of capsAt(accountId, node, Number(startedAtMs))) {
        const id = capKey(cap);
        if (!existing.has(id)) continue;
        const underCap = node.caps.includes(CAP_PERIOD_OF_LABEL[cap.period]) ? chargedNanos : 0n;
        const key = `${id}/${sessionId}`;
        const sum = sums.get(key);
        const { scope, name } = node;
        if (sum === undefined) sums.set(key, { ...cap, scope, name, sessionId, charged: chargedNanos, underCap });
        else {
          sum.charged += chargedNanos;
          sum.underCap += underCap;
        }
      }
    }
  }
  return [...sums.values()];
}

/** Sums charges by node above their keys and day of their start (UTC). */
export function sumNodes(postings: readonly Posting[]): NodeSum[] {
  const sums = new Map<string, NodeSum>();
  for (const { record, chargedNanos } of postings) {
    if (chargedNanos === 0n) continue;
    const { accountId } = record.charge;
    for (const { nodeId } of countedNodes(record.charge)) {
      const dayMs = dayOf(record.charge);
      const key = `${accountId}/${nodeId}/${dayMs}`;
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { accountId, nodeId, dayMs, chargedNanos });
      else sum.chargedNanos += chargedNanos;
    }
  }
  return [...sums.values()];
}
