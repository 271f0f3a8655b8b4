import { Bucket, RouteTable } from '@tollgate/proto/router';
import { expect, it } from 'vitest';
import { modelsOf } from './models.ts';

const rates = (nanos: bigint) => [{ bucket: Bucket.INPUT, nanosPerMillion: nanos }];
const price = {
  version: 'v',
  rates: rates(2_000_000_000n),
  tiers: [{ aboveInputTokens: 100n, rates: rates(4_000_000_000n) }],
  options: [
    { name: 'service_tier', value: 'flex', multiplierPpm: 500_000n },
    { name: 'service_tier', value: 'priority', rates: rates(3n) },
  ],
};
const table = RouteTable.fromPartial({
  models: [
    { modelId: 'claude-1', prices: [price, { ...price, effectiveFromMs: 9_000n }] },
    { modelId: 'gpt-1', prices: [price] },
  ],
});

it('has prices as the account pays them before its discount, in tiers, options and announced prices too', () => {
  const [claude, gpt] = modelsOf(table, undefined, [{ model: 'claude-*', markupPpm: 200_000 }], 1);
  const own = {
    ratesNanos: { input: 2_400_000_000n },
    tiers: [{ aboveInputTokens: 100n, ratesNanos: { input: 4_800_000_000n } }],
    options: [{ multiplier: '0.5' }, { ratesNanos: { input: 4n } }],
  };
  expect(claude).toMatchObject({ price: own, nextPrices: [own] });
  expect(gpt).toMatchObject({ price: { ratesNanos: { input: 2_000_000_000n } } });
});
