import { formatDollars } from '@tollgate/common/money';
import type { ApiKey } from '@tollgate/proto/auth';
import type { UsageRow } from '@tollgate/proto/ledger';
import { sumTokens } from '../render/request.ts';

/** Requests, tokens and cost together. */
export interface UsageTotal {
  requests: number;
  tokens: number;
  nanos: bigint;
}

const NOTHING: UsageTotal = { requests: 0, tokens: 0, nanos: 0n };

function add(total: UsageTotal, row: UsageRow): UsageTotal {
  return {
    requests: total.requests + Number(row.requests),
    tokens: total.tokens + sumTokens(row.usage),
    nanos: total.nanos + row.costNanos,
  };
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
  const nanos = total.nanos - part.nanos;
  return {
    requests: Math.max(0, total.requests - part.requests),
    tokens: Math.max(0, total.tokens - part.tokens),
    nanos: nanos < 0n ? 0n : nanos,
  };
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
  if (a.nanos !== b.nanos) return a.nanos < b.nanos ? -1 : 1;
  return a.requests - b.requests;
}

export function renderTotal({ requests, tokens, nanos }: UsageTotal) {
  return { requests, tokens, cost: formatDollars(nanos) };
}

/** The tags with the highest cost, by what keys carry now. */
export function topTags(rows: readonly UsageRow[], keys: readonly ApiKey[], count: number) {
  const tagsByKey = new Map(keys.map(({ keyId, tags }) => [keyId, Object.entries(tags)]));
  const groupsOf = ({ keyId }: UsageRow) => (tagsByKey.get(keyId) ?? []).map((tag) => JSON.stringify(tag));
  return topGroups(rows, groupsOf, count).map(({ group, total }) => {
    const [name, value] = JSON.parse(group) as [string, string];
    return { name, value, ...renderTotal(total) };
  });
}
