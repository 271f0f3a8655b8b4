import { ApiKey } from '@tollgate/proto/auth';
import { UsageRow } from '@tollgate/proto/ledger';
import { describe, expect, it } from 'vitest';
import { renderTotal, topGroups, topTags, totalOf } from './sums.ts';

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
    expect(renderTotal(totalOf(rows))).toEqual({ requests: 4, tokens: 33, cost: '0.000000026' });
    expect(renderTotal(totalOf([]))).toEqual({ requests: 0, tokens: 0, cost: '0' });
  });

  it('are listed from the highest cost, at most as many as requested', () => {
    const byModel = topGroups(rows, ({ model }) => [model], 2);
    expect(byModel.map(({ group, total }) => [group, total.nanos])).toEqual([
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
      { name: 'team', value: '"x', requests: 1, tokens: 10, cost: '0.00000002' },
      { name: 'env', value: 'ci', requests: 2, tokens: 20, cost: '0.000000006' },
      { name: 'team', value: 'x:y', requests: 2, tokens: 20, cost: '0.000000006' },
    ]);
  });
});
