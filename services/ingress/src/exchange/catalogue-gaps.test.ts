import { createLogger } from '@tollgate/common/logging';
import { expect, it } from 'vitest';
import { CatalogueGaps } from './catalogue-gaps.ts';

const RESPONSE = { requestId: 'r1', traceId: 't1', model: 'm', provider: 'p', deployment: 'm@p', searches: 2 };

function make() {
  const lines: Record<string, unknown>[] = [];
  const counted: unknown[] = [];
  const clock = { ms: 0 };
  const logger = createLogger('test', 'info', { destination: { write: (text) => lines.push(JSON.parse(text)) } });
  const metrics = { unpricedSearches: (...args: unknown[]) => counted.push(args) };
  return { gaps: new CatalogueGaps(logger, metrics, () => clock.ms), lines, counted, clock };
}

it('names the request, and where it was', () => {
  const { gaps, lines, counted } = make();
  gaps.report('price.search', RESPONSE);
  expect(lines).toMatchObject([
    {
      level: 'warn',
      msg: "searches of a provider are charged at no rate, since the model's price has none",
      request_id: 'r1',
      trace_id: 't1',
      model: 'm',
      provider: 'p',
      deployment: 'm@p',
      missing_setting: 'price.search',
      requests: 1,
      searches: 2,
    },
  ]);
  expect(counted).toEqual([['m', 'm@p', 2]]);
});

it('names each setting that a model lacks, and counts only searches without a price', () => {
  const { gaps, lines, counted } = make();
  for (const setting of ['web_tools.max_own_searches', 'price.search', 'web_tools.max_own_searches'] as const) {
    gaps.report(setting, RESPONSE);
  }
  expect(lines.map((line) => line['missing_setting'])).toEqual(['web_tools.max_own_searches', 'price.search']);
  expect(counted).toHaveLength(1);
});

it('logs a model at a deployment once a minute, with all searches since, and others at once', () => {
  const { gaps, lines, counted, clock } = make();
  for (const requestId of ['r1', 'r2', 'r3']) gaps.report('price.search', { ...RESPONSE, requestId });
  gaps.report('price.search', { ...RESPONSE, requestId: 'r4', model: 'n' });
  expect(lines.map((line) => line['request_id'])).toEqual(['r1', 'r4']);
  clock.ms = 60_000;
  gaps.report('price.search', { ...RESPONSE, requestId: 'r5' });
  expect(lines.at(-1)).toMatchObject({ request_id: 'r5', requests: 3, searches: 6 });
  clock.ms = 120_000;
  gaps.report('price.search', { ...RESPONSE, requestId: 'r6' });
  expect(lines.at(-1)).toMatchObject({ request_id: 'r6', requests: 1, searches: 2 });
  expect(counted).toHaveLength(6);
});

it('remembers a bounded number of models', () => {
  const { gaps, lines } = make();
  for (let index = 0; index < 1_001; index++) gaps.report('price.search', { ...RESPONSE, model: `m${index}` });
  gaps.report('price.search', { ...RESPONSE, model: 'm1000' });
  expect(lines).toHaveLength(1_001);
  gaps.report('price.search', { ...RESPONSE, model: 'm0' });
  expect(lines).toHaveLength(1_002);
});
