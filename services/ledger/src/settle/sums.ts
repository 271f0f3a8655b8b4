import { CAP_PERIOD_OF_LABEL, CEILING_PERIODS, periodStart } from '@tollgate/common/cap-periods';
import type { Charge, HeldNode } from '@tollgate/proto/ledger';
import type { AccountCharge } from '../store/balances.ts';
import { PairMap } from '../store/batch.ts';
import { countedNodes, pathOf, placeOf } from '../store/ceilings.ts';
import type { CapSpending, CapsOfNodes, ExistingCap, NodeOfAccount } from '../store/charged-caps.ts';
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

/** The nodes whose caps records may count towards: all of their paths. */
export function nodesOf(records: readonly SettlementRecord[]): NodeOfAccount[] {
  const nodes = new PairMap<NodeOfAccount>();
  for (const { charge } of records) {
    const { accountId } = charge;
    for (const { nodeId } of pathOf(charge))
      if (nodes.get(accountId, nodeId) === undefined) nodes.set(accountId, nodeId, { accountId, nodeId });
  }
  return nodes.values();
}

/** The starts of the periods in which requests of records started, Unix milliseconds. */
export function startsOf(records: readonly SettlementRecord[]): Set<number> {
  const days = new Set(records.map(({ charge }) => periodStart('day', Number(charge.startedAtMs))));
  return new Set([...days].flatMap((dayMs) => CEILING_PERIODS.map((period) => periodStart(period, dayMs))));
}

/** Sums charges by existing cap and session, including charges of requests held before their cap existed. */
export function sumCaps(postings: readonly Posting[], existing: CapsOfNodes): CapSpending[] {
  const sums = new Map<ExistingCap, CapSpending>();
  for (const { record, chargedNanos } of postings) {
    if (chargedNanos === 0n) continue;
    const { charge } = record;
    for (const node of pathOf(charge, charge.caps)) {
      for (const cap of existing.get(charge.accountId, node.nodeId) ?? []) {
        if (cap.startMs !== periodStart(cap.period, Number(charge.startedAtMs))) continue;
        let sum = sums.get(cap);
        if (sum === undefined) {
          sum = newSum(charge, node, cap);
          sums.set(cap, sum);
        }
        sum.charged += chargedNanos;
        if (!node.caps.includes(CAP_PERIOD_OF_LABEL[cap.period])) continue;
        sum.underCap.set(charge.sessionId, chargedNanos + (sum.underCap.get(charge.sessionId) ?? 0n));
      }
    }
  }
  return [...sums.values()];
}

function newSum({ accountId }: Charge, { nodeId, scope, name }: Readonly<HeldNode>, cap: ExistingCap): CapSpending {
  return { accountId, nodeId, scope, name, ...cap, charged: 0n, underCap: new Map() };
}

/** Sums charges by node above their keys and day of their start (UTC). */
export function sumNodes(postings: readonly Posting[]): NodeSum[] {
  const sums = new PairMap<NodeSum[]>();
  for (const { record, chargedNanos } of postings) {
    if (chargedNanos === 0n) continue;
    const { accountId } = record.charge;
    const dayMs = dayOf(record.charge);
    for (const { nodeId } of countedNodes(record.charge)) {
      const days = sums.get(accountId, nodeId);
      const sum = days?.find((day) => day.dayMs === dayMs);
      if (sum !== undefined) sum.chargedNanos += chargedNanos;
      else if (days !== undefined) days.push({ accountId, nodeId, dayMs, chargedNanos });
      else sums.set(accountId, nodeId, [{ accountId, nodeId, dayMs, chargedNanos }]);
    }
  }
  return sums.values().flat();
}
