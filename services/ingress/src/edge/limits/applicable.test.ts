import { limitNode } from '@tollgate/common/testing/cached-key';
import { describe, expect, it } from 'vitest';
import type { ModelLimits } from '../../shared/catalogue/route-table.ts';
import { type BucketLimit, limitsOf } from './applicable.ts';

const ALL = { requestsPerMinute: 600, tokensPerMinute: 60_000, openRequests: 4 };
const MODEL: ModelLimits = { modelId: 'vendor/m:1', requestsPerMinute: 60, tokensPerMinute: 6_000 };
const NONE = { keyId: 'k1', limits: undefined, accountLimits: undefined, nodes: [] };

function shown({ owner, kind, bucket, perMinute, size }: BucketLimit): unknown[] {
  return [owner, kind, bucket, perMinute, size];
}

describe('the limits of a request', () => {
  it('are those of its account, its project, its key and its model', () => {
    const node = { scope: 'project', nodeId: 'p1', limits: { openRequests: 7, requestsPerMinute: 300 } } as const;
    const nodes = [limitNode(node), limitNode({ scope: 'member', nodeId: 'm1' })];
    const key = { keyId: 'k1', limits: ALL, accountLimits: { ...ALL, openRequests: 9 }, nodes };
    const { buckets, open } = limitsOf(key, { usesTokens: true, model: MODEL });
    expect(buckets.map(shown)).toEqual([
      ['account', 'requests', 'account:requests', 600, 100],
      ['account', 'tokens', 'account:tokens', 60_000, 10_000],
      ['project', 'requests', 'node:p1:requests', 300, 50],
      ['key', 'requests', 'key:k1:requests', 600, 100],
      ['key', 'tokens', 'key:k1:tokens', 60_000, 10_000],
      ['model', 'requests', 'model:vendor/m:1:requests', 60, 10],
      ['model', 'tokens', 'model:vendor/m:1:tokens', 6_000, 1_000],
    ]);
    expect(open.map(({ owner, scope, max }) => [owner, scope, max])).toEqual([
      ['account', 'account', 9],
      ['project', 'node:p1', 7],
      ['key', 'key:k1', 4],
    ]);
  });

  it('of keys above a derived key are the same as for those keys themselves, and like all above it not to be shown', () => {
    const limits = { requestsPerMinute: 300, openRequests: 7 };
    const nodes = [
      limitNode({ scope: 'project', nodeId: 'p1', limits }),
      limitNode({ scope: 'key', nodeId: 'k0', limits }),
    ];
    const parent = limitsOf({ ...NONE, keyId: 'k0', limits }, { usesTokens: true, model: undefined });
    const own = { ...NONE, limits: { requestsPerMinute: 60 }, nodes, accountLimits: ALL };
    const { buckets, open } = limitsOf(own, { usesTokens: false, model: undefined });
    expect(buckets.map(shown)).toEqual([
      ['above', 'requests', 'account:requests', 600, 100],
      ['above', 'requests', 'node:p1:requests', 300, 50],
      ['above', 'requests', 'key:k0:requests', 300, 50],
      ['key', 'requests', 'key:k1:requests', 60, 10],
    ]);
    expect(buckets[2]?.bucket).toBe(parent.buckets[0]?.bucket);
    expect(open[2]).toEqual({ ...parent.open[0], owner: 'above' });
  });

  it('are empty without limits, and have none on tokens if it uses none', () => {
    expect(limitsOf(NONE, { usesTokens: true, model: undefined })).toEqual({ buckets: [], open: [] });
    const { buckets, open } = limitsOf({ ...NONE, limits: ALL }, { usesTokens: false, model: undefined });
    expect([buckets.map(({ kind }) => kind), open.length]).toEqual([['requests'], 1]);
  });

  it('have buckets that hold at least one request or token', () => {
    const few = { requestsPerMinute: 1, tokensPerMinute: 5 };
    const { buckets } = limitsOf({ ...NONE, limits: few }, { usesTokens: true, model: undefined });
    expect(buckets.map(({ size }) => size)).toEqual([1, 1]);
  });
});
