import { describe, expect, it } from 'vitest';
import { listedPrices } from '../price-list.ts';
import { parseGenaiPrices } from './genai-prices.ts';
import { parseLitellm } from './litellm.ts';

const GENAI = `from .types import *

providers: list[Provider] = [
    Provider(
        id='one',
        models=[
            ModelInfo(
                id='tiered',
                match=ClauseOr(or_=[ClauseEquals(equals='tiered'), ClauseEquals(equals='t-latest'), ClauseStartsWith(starts_with='t-')]),
                context_window=1000,
                prices=ModelPrice(
                    input_mtok=TieredPrices(base=Decimal('0.10'), tiers=[Tier(start=500, price=Decimal('0.20'))]),
                    output_mtok=Decimal('1'),
                    web_searches_kcount=Decimal('2.5'),
                ),
                price_variants=[
                    PriceVariant(when={'service_tier': 'default'}, prices=ModelPrice()),
                    PriceVariant(when={'service_tier': 'fast'}, prices=ModelPrice(input_mtok=Decimal('0.2'))),
                    PriceVariant(when={'processing': 'batch'}, prices=ModelPrice(input_mtok=Decimal('0.05'))),
                    PriceVariant(when={'speed': 'fast', 'processing': 'batch'}, prices=ModelPrice(input_mtok=Decimal('9'))),
                    PriceVariant(
                        when={'service_tier': 'flex'},
                        prices=ModelPrice(
                            input_mtok=TieredPrices(base=Decimal('0.05'), tiers=[Tier(start=500, price=Decimal('0.1'))]),
                            output_mtok=Decimal('0.5'),
                        ),
                        constraint=StartDateConstraint(start_date=datetime.date(2026, 10, 12)),
                    ),
                    PriceVariant(
                        when={'service_tier': 'priority'},
                        prices=ModelPrice(input_mtok=Decimal('0.2'), output_mtok=Decimal('2')),
                    ),
                    PriceVariant(when={'speed': 'fast'}, prices=ModelPrice(input_mtok=Decimal('0.3'), output_mtok=Decimal('4'))),
                ],
            ),
            ModelInfo(id='old', match=ClauseEquals(equals='old'), deprecated=True, prices=ModelPrice(input_mtok=Decimal('1'))),
            ModelInfo(id='spoken', match=ClauseEquals(equals='spoken'), prices=ModelPrice(audio_hours=Decimal('1'))),
            ModelInfo(
                id='dated',
                match=ClauseEquals(equals='dated'),
                prices=[
                    ConditionalPrice(prices=ModelPrice(input_mtok=Decimal('1'), output_mtok=Decimal('2'))),
                    ConditionalPrice(
                        constraint=StartDateConstraint(start_date=datetime.date(2026, 3, 4)),
                        prices=ModelPrice(input_mtok=Decimal('3'), output_mtok=Decimal('4')),
                    ),
                    ConditionalPrice(
                        constraint=TimeOfDateConstraint(
                            start_time=datetime.time(1, 0, tzinfo=datetime.UTC), end_time=datetime.time(4, 30, tzinfo=datetime.UTC)
                        ),
                        prices=ModelPrice(input_mtok=Decimal('2'), output_mtok=Decimal('9')),
                    ),
                ],
            ),
        ],
    ),
]
`;

/** Without tiers, or with another factor for output, an option is no multiple of the price. */
const OPTIONS = [
  { name: 'service_tier', value: 'flex', multiplier: '0.5' },
  { name: 'service_tier', value: 'priority', rates: { input: '0.2', output: '2' } },
  { name: 'speed', value: 'fast', rates: { input: '0.3', output: '4' } },
];

describe('parseGenaiPrices', () => {
  const models = parseGenaiPrices(GENAI).get('one') ?? [];

  it('reads models with a price per token that are not deprecated, with their other names', () => {
    expect(models.map(({ id, aliases }) => ({ id, aliases }))).toEqual([
      { id: 'tiered', aliases: ['t-latest'] },
      { id: 'dated', aliases: [] },
    ]);
  });

  it('reads tiers, prices per thousand as per million, and options, as a multiple of the price where all rates are', () => {
    expect(models[0]?.facts).toEqual({
      context_window: 1_000,
      prices: [
        {
          rates: { input: '0.1', output: '1', search: '2500' },
          tiers: [{ above_input_tokens: 500, rates: { input: '0.2', output: '1' } }],
        },
      ],
      options: OPTIONS,
    });
  });

  it('throws at an option that changes at a date', () => {
    const [option] = /PriceVariant\(\s*when=\{'service_tier': 'priority'[\s\S]*?\n {20}\),\n/.exec(GENAI) ?? [''];
    const changed = option.replace("Decimal('2')", "Decimal('3')");
    expect(() => parseGenaiPrices(GENAI.replace(option, option + changed))).toThrow('service_tier priority changes');
  });

  it('reads dates and hours, of which a catalogue gets the highest rates', () => {
    const facts = models[1]?.facts ?? { prices: [] };
    expect(facts.prices.map(({ from, hours }) => from ?? hours)).toEqual([undefined, '2026-03-04', ['01:00', '04:30']]);
    expect(listedPrices(facts, '2026-03-03')).toEqual([
      { rates: { input: '2', output: '9' }, tiers: [] },
      { effective_from: '2026-03-04T00:00:00Z', rates: { input: '3', output: '9' }, tiers: [] },
    ]);
    expect(listedPrices(facts, '2026-03-04')).toEqual([{ rates: { input: '3', output: '9' }, tiers: [] }]);
  });

  it('throws at a rate that is no decimal', () => {
    expect(() => parseGenaiPrices(GENAI.replace("Decimal('1')", "Decimal('free')"))).toThrow('no decimal: free');
  });
});

describe('parseLitellm', () => {
  const parse = (entry: string) =>
    parseLitellm(`{"one/m": {"litellm_provider": "one", "mode": "chat", ${entry}}}`).get('one');

  it('reads rates per token from their digits', () => {
    const text =
      '"input_cost_per_token": 7.4999999999999995e-08, "output_cost_per_token": 1e-6, "cache_creation_input_token_cost": 0.0, ' +
      '"input_cost_per_token_above_200k_tokens": 2e-07, "max_input_tokens": 9, "supports_vision": true, ' +
      '"deprecation_date": "2026-10-23", "search_context_cost_per_query": {"a": 0.005, "b": 0.005}';
    expect(parse(text)?.get('m')).toEqual({
      context_window: 9,
      input: ['text', 'image'],
      retired: '2026-10-23',
      prices: [
        {
          rates: { input: '0.075', output: '1', search: '5000' },
          tiers: [{ above_input_tokens: 200_000, rates: { input: '0.2', output: '1' } }],
        },
      ],
    });
  });

  it('reads service tiers, fast mode and inference in the US', () => {
    const text =
      '"input_cost_per_token": 2e-6, "output_cost_per_token": 1e-5, "input_cost_per_token_above_272k_tokens": 4e-6, ' +
      '"input_cost_per_token_flex": 1e-6, "output_cost_per_token_flex": 5e-6, "input_cost_per_token_above_272k_tokens_flex": 2e-6, ' +
      '"input_cost_per_token_priority": 4e-6, "output_cost_per_token_priority": 2e-5, "input_cost_per_token_batches": 1e-6, ' +
      '"provider_specific_entry": {"us": 1.1, "fast": 2.0, "other": 3}';
    const facts = parse(text)?.get('m');
    expect(facts?.prices).toEqual([
      {
        rates: { input: '2', output: '10' },
        tiers: [{ above_input_tokens: 272_000, rates: { input: '4', output: '10' } }],
      },
    ]);
    expect(facts?.options).toEqual([
      { name: 'service_tier', value: 'flex', multiplier: '0.5' },
      { name: 'service_tier', value: 'priority', rates: { input: '4', output: '20' } },
      { name: 'speed', value: 'fast', multiplier: '2' },
      { name: 'inference_geo', value: 'us', multiplier: '1.1' },
    ]);
  });

  it('reads prices by ranges of the prompt', () => {
    const text =
      '"tiered_pricing": [{"range": [0, 32000.0], "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06}, ' +
      '{"range": [32000.0, 1e6], "input_cost_per_token": 3e-06, "output_cost_per_token": 4e-06}]';
    expect(parse(text)?.get('m')?.prices).toEqual([
      {
        rates: { input: '1', output: '2' },
        tiers: [{ above_input_tokens: 32_000, rates: { input: '3', output: '4' } }],
      },
    ]);
  });

  it('leaves out models without a price per token, and those that are neither text nor vectors', () => {
    expect(parse('"output_cost_per_image": 1')).toBeUndefined();
    expect(
      parseLitellm('{"m": {"litellm_provider": "one", "mode": "rerank", "input_cost_per_token": 1e-6}}').size,
    ).toBe(0);
  });
});
