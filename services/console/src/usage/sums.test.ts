import { ApiKey } from '@tollgate/proto/auth';
import { UsageRow } from '@tollgate/proto/ledger';
import { describe, expect, it } from 'vitest';
import { topGroups, topTags, totalOf } from './sums.ts';

function row(keyId: string, model: string, costNanos: bigint, tokens = 10n): UsageRow {
  const usage = [
    { bucket: 'output', quantity: tokens },
    { bucket: 'request', quantity: 1n },
  ];
  return UsageRow.fromPartial({ keyId, model, costNanos, requests: 1n, usage });
}

const rows = [row('a', 'small', 5n), row('b', 'large', 20n), row('a', 'large', 1n), row('c', 'free', 0n, 3n)];

describe('sums of usage', () => {
  it('add up requests, tokens without items, and cost', () => {
    expect(totalOf(rows)).toEqual({ requests: 4n, tokens: 33n, costNanos: 26n });
    expect(totalOf([])).toEqual({ requests: 0n, tokens: 0n, costNanos: 0n });
  });

  it('are listed from the highest cost, at most as many as requested', () => {
    const byModel = topGroups(rows, ({ model }) => [model], 2);
    expect(byModel.map(({ group, total }) => [group, total.costNanos])).toEqual([
      ['large', 21n],
      ['small', 5n],
    ]);
    expect(topGroups(rows, ({ keyId }) => [keyId], 10).map(({ group }) => group)).toEqual(['b', 'a', 'c']);
  });

  it('by tag count a key for each tag that it carries, whatever characters they have', () => {
    const keys = [
      ApiKey.fromPartial({ keyId: 'a', tags: { team: 'x:y', env: 'ci' } }),
      ApiKey.fromPartial({ keyId: 'b', tags: { team: '"x' } }),
    ];
    expect(topTags(rows, keys, 10)).toEqual([
      { name: 'team', value: '"x', total: { requests: 1n, tokens: 10n, costNanos: 20n } },
      { name: 'env', value: 'ci', total: { requests: 2n, tokens: 20n, costNanos: 6n } },
      { name: 'team', value: 'x:y', total: { requests: 2n, tokens: 20n, costNanos: 6n } },
    ]);
  });
});
