import { expect, it } from 'vitest';
import { estimateModels } from './price-estimate.ts';

const row = (model: string, costNanos: bigint, usage: Record<string, bigint>) => ({
  model,
  costNanos,
  usage: Object.entries(usage).map(([bucket, quantity]) => ({ bucket, quantity })),
});
const change = (modelId: string, field: string, before: string, after: string) => ({ modelId, field, before, after });

it('adds the difference of the changed base rates to what was charged', () => {
  const rows = [
    row('small', 30_000_000_000n, { input: 10_000_000n, output: 1_000_000n }),
    row('other', 5n, { input: 1n }),
  ];
  const changes = [
    change('small', 'price.input', '2', '2.5'),
    change('small', 'price.output', '10', '8'),
    change('small', 'price.above_200000.input', '4', '40'),
    change('small', 'price from 2027-01-01T00:00:00.000Z.input', '', '9'),
    change('other', 'enabled', 'true', 'false'),
  ];
  // 10 million at 50 cents more, one million at 2 dollars less.
  expect(estimateModels(changes, rows)).toEqual([
    { model: 'small', costNanos: 30_000_000_000n, withFileNanos: 33_000_000_000n },
  ]);
});

it('never is below nothing', () => {
  const rows = [row('small', 1n, { input: 1_000_000n })];
  expect(estimateModels([change('small', 'price.input', '2', '')], rows)).toMatchObject([{ withFileNanos: 0n }]);
});
