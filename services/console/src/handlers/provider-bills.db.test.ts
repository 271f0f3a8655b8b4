import { idFloor, newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../testing/api-client.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const POST = 'POST /operator/providers/{provider}/bills' as const;
const GET = 'GET /operator/providers/{provider}/bills' as const;
const DAY_MS = 86_400_000;
/** A day of UTC, all of it some hours ago or more. */
const DAY = Date.now() - (Date.now() % DAY_MS) - DAY_MS;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let running: RunningConsole;
let operator: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  operator = (await running.signedIn('operator')).api;
});
afterAll(() => running.stop());

/** A new id with the time of another moment. */
const idAt = (unixMs: number) => idFloor(unixMs).slice(0, 13) + newId().slice(13);

/** A charge at a provider, of an account of its own. */
async function charge(fields: { provider: string; upstreamCostNanos?: bigint; startedAtMs?: number }): Promise<void> {
  const accountId = await running.createAccount();
  await running.fund(accountId, 100_000_000_000n);
  const startedAtMs = fields.startedAtMs ?? DAY + DAY_MS / 2;
  const amounts = [
    { bucket: 'input', quantity: 10n, rateNanosPerMillion: 2_000_000_000n, amountNanos: 20_000n },
    { bucket: 'cache_write_5m', quantity: 100n, rateNanosPerMillion: 0n, amountNanos: 0n },
    { bucket: 'cache_read', quantity: 1_000n, rateNanosPerMillion: 0n, amountNanos: 0n },
    { bucket: 'output', quantity: 5n, rateNanosPerMillion: 10_000_000_000_000n, amountNanos: 50_000_000n },
    { bucket: 'reasoning', quantity: 2n, rateNanosPerMillion: 0n, amountNanos: 0n },
  ];
  await running.charge(accountId, {
    requestId: idAt(startedAtMs),
    startedAtMs: BigInt(startedAtMs),
    provider: fields.provider,
    deployment: 'gone',
    model: 'gpt-5',
    lines: amounts,
    costNanos: 50_020_000n,
    ...(fields.upstreamCostNanos === undefined ? {} : { upstreamCostNanos: fields.upstreamCostNanos }),
  });
}

const costs = (rows: readonly [model: string, dollars: string][]) =>
  ['usage_date_utc,model,cost_usd', ...rows.map(([model, dollars]) => `${dateOf(DAY)},${model},${dollars}`)].join('\n');

it('is compared with the charges of all accounts, at reported cost or list price, and listed', async () => {
  await charge({ provider: 'sim' });
  await charge({ provider: 'sim', upstreamCostNanos: 1_000_000_000n });
  await charge({ provider: 'sim', startedAtMs: DAY - 1 });
  await charge({ provider: 'dead' });
  const usage = JSON.stringify({
    data: [
      {
        start_time: DAY / 1_000,
        results: [{ model: 'gpt-5-2025-08-07', input_tokens: 2220, input_cached_tokens: 2000, output_tokens: 15 }],
      },
    ],
  });
  const imported = await operator.ok(POST, { path: { provider: 'sim' }, body: { content: usage } });
  const metered = {
    metered_input_tokens: 2220,
    metered_cache_read_tokens: 2000,
    metered_output_tokens: 14,
    metered_cost: '1.05002',
  };
  const compared = {
    day: dateOf(DAY),
    model: 'gpt-5',
    requests: 2,
    billed_input_tokens: 2220,
    billed_cache_read_tokens: 2000,
    billed_output_tokens: 15,
    billed_cost: null,
    ...metered,
    differs: true,
  };
  expect(imported).toEqual({ format: 'OpenAI usage', differences: 1, data: [compared] });

  const body = { content: costs([['gpt-5', '1.06']]), tolerance_percent: '10' };
  const costed = await operator.ok(POST, { path: { provider: 'sim' }, body });
  const both = { ...compared, billed_cost: '1.06', differs: false };
  expect(costed).toEqual({ format: 'Anthropic costs (CSV)', differences: 0, data: [both] });
  const range = { start: new Date(DAY).toISOString(), end: new Date(DAY + DAY_MS).toISOString() };
  expect(await operator.ok(GET, { path: { provider: 'sim' }, query: range })).toEqual({ data: [both] });
  const later = { start: range.end, end: new Date(DAY + 2 * DAY_MS).toISOString() };
  expect(await operator.ok(GET, { path: { provider: 'sim' }, query: later })).toEqual({ data: [] });
});

it('imported twice at the same time is there once', async () => {
  const body = { content: costs([['claude', '2']]) };
  await Promise.all([1, 2, 3].map(() => operator.ok(POST, { path: { provider: 'dead' }, body })));
  const query = { range: '7d' as const };
  const { data } = await operator.ok(GET, { path: { provider: 'dead' }, query });
  expect(data.map(({ model, billed_cost }) => [model, billed_cost])).toEqual([
    ['claude', '2'],
    ['gpt-5', '0'],
  ]);
});

it('that cannot be compared is refused with the reason', async () => {
  const refused = async (provider: string, content: string) =>
    (await operator.call(POST, { path: { provider }, body: { content } })).error;
  expect(await refused('nowhere', costs([]))).toMatchObject({ code: 'not_found' });
  expect(await refused('sim', 'a,b\n1,2')).toMatchObject({
    field: 'content',
    message: expect.stringContaining('none of the exports'),
  });
  expect(await refused('sim', 'é'.repeat(4_300_000))).toMatchObject({ field: 'content' });
});
