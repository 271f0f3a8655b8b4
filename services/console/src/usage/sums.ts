import { isItemBucket } from '@tollgate/common/billing/buckets';
import type { ApiKey } from '@tollgate/proto/auth';
import type { UsageRow as ShownRow, TagTotal, UsageTotal } from '@tollgate/proto/console/accounts';
import type { UsageRow } from '@tollgate/proto/ledger';

const NOTHING: UsageTotal = { requests: 0n, tokens: 0n, costNanos: 0n };

/** Tokens of all buckets together. */
export function sumTokens(quantities: readonly { bucket: string; quantity: bigint }[]): bigint {
  let tokens = 0n;
  for (const { bucket, quantity } of quantities) if (!isItemBucket(bucket)) tokens += quantity;
  return tokens;
}

function add(total: UsageTotal, row: UsageRow): UsageTotal {
  return {
    requests: total.requests + row.requests,
    tokens: total.tokens + sumTokens(row.usage),
    costNanos: total.costNanos + row.costNanos,
  };
}

/** A row of the ledger with the sum of its tokens. */
export function showRow(row: UsageRow): ShownRow {
  const { startMs, model, keyId, projectId, ownerId } = row;
  return { startMs, model, keyId, projectId, ownerId, total: add(NOTHING, row) };
}

export function totalOf(rows: readonly UsageRow[]): UsageTotal {
  return rows.reduce(add, NOTHING);
}

/** Sums by what rows have in common. */
export function sumBy<K>(rows: readonly UsageRow[], keyOf: (row: UsageRow) => K): Map<K, UsageTotal> {
  const totals = new Map<K, UsageTotal>();
  for (const row of rows) totals.set(keyOf(row), add(totals.get(keyOf(row)) ?? NOTHING, row));
  return totals;
}

/** What is left of a total, not below zero. */
export function subtract(total: UsageTotal, part: UsageTotal): UsageTotal {
  const left = (field: keyof UsageTotal) => (total[field] > part[field] ? total[field] - part[field] : 0n);
  return { requests: left('requests'), tokens: left('tokens'), costNanos: left('costNanos') };
}

/** The groups with the highest cost, highest first. A row may belong to several groups. */
export function topGroups(
  rows: readonly UsageRow[],
  groupsOf: (row: UsageRow) => readonly string[],
  count: number,
): { group: string; total: UsageTotal }[] {
  const totals = new Map<string, UsageTotal>();
  for (const row of rows) {
    for (const group of groupsOf(row)) totals.set(group, add(totals.get(group) ?? NOTHING, row));
  }
  const sorted = [...totals].map(([group, total]) => ({ group, total }));
  return sorted.sort((a, b) => compare(b.total, a.total) || (a.group < b.group ? -1 : 1)).slice(0, count);
}

/** By cost, then by requests: free ones are compared too. */
function compare(a: UsageTotal, b: UsageTotal): number {
  if (a.costNanos !== b.costNanos) return a.costNanos < b.costNanos ? -1 : 1;
  return Number(a.requests - b.requests);
}

/** The tags with the highest cost, by what keys carry now. */
export function topTags(rows: readonly UsageRow[], keys: readonly ApiKey[], count: number): TagTotal[] {
  const tagsByKey = new Map(keys.map(({ keyId, tags }) => [keyId, Object.entries(tags)]));
  const groupsOf = ({ keyId }: UsageRow) => (tagsByKey.get(keyId) ?? []).map((tag) => JSON.stringify(tag));
  return topGroups(rows, groupsOf, count).map(({ group, total }) => {
    const [name, value] = JSON.parse(group) as [string, string];
    return { name, value, total };
  });
}
