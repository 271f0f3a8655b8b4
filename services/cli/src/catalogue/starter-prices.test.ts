import { describe, expect, it } from 'vitest';
import { type PriceSource, SourceIndex } from './price-source.ts';
import { updatePrices } from './starter-prices.ts';

const SOURCE: PriceSource = {
  read: '2026-11-24',
  sources: [],
  providers: [{ id: 'one', hosts: ['api.one.example'] }],
  models: [
    {
      provider: 'one',
      id: 'small',
      'genai-prices': {
        prices: [
          {
            rates: { input: '0.1', cache_read: '0.01', output: '2' },
            tiers: [{ above_input_tokens: 500, rates: { input: '0.2', cache_read: '0.02', output: '4' } }],
          },
          { from: '2027-01-01', rates: { input: '0.3', output: '3', search: '7000', request: '5' } },
        ],
        options: [
          { name: 'service_tier', value: 'flex', multiplier: '0.5' },
          { name: 'service_tier', value: 'priority', rates: { input: '0.2', output: '5' } },
        ],
      },
    },
  ],
};

const TEXT = `# A comment.
version: 1
providers:
  - { id: p, base_url: "https://api.one.example/v1" }
  - { id: other, base_url: "https://other.example" }
models:
  - id: small # the smallest
    price:
      input: 9
      reasoning: 9
      cache_write_1h: 0.5
      output: 9
      search: 8000
      fetch: 0
      options:
        service_tier:
          flex: { multiplier: 0.4 }
        speed:
          fast: { multiplier: 2 }
        inference_geo:
          us:
            input: 1
            output: 2
            tiers:
              - above_input_tokens: 500
                input: 2
                output: 3
    deployments:
      - provider: p
  - id: foreign
    price: { input: 9, output: 9 }
    deployments: [{ provider: other }]
`;

describe('updatePrices', () => {
  const update = (today: string) => updatePrices(TEXT, new SourceIndex(SOURCE), [], today).text;

  it('writes the price in effect, and keeps everything that the source does not have', () => {
    const written = 'input: 0.30\n      cache_write_1h: 0.50\n      output: 3\n      search: 7000\n';
    const before = 'input: 9\n      reasoning: 9\n      cache_write_1h: 0.5\n      output: 9\n      search: 8000\n';
    expect(TEXT).toContain(before);
    const own = '\n          priority:\n            input: 0.20\n            output: 5';
    expect(update('2027-01-01')).toBe(
      TEXT.replace(before, written).replace('multiplier: 0.4 }', `multiplier: 0.5 }${own}`),
    );
  });

  it('writes no rate per item that is not sold', () => {
    const text = TEXT.replace('      search: 8000\n', '');
    expect(updatePrices(text, new SourceIndex(SOURCE), [], '2027-01-01').text).not.toMatch(/search|request/);
  });

  it('writes a list of prices before a change that is known', () => {
    expect(update('2026-12-31')).toContain(`    prices:
      - input: 0.10
        cache_read: 0.01
        cache_write_1h: 0.50
        output: 2
        search: 8000
        fetch: 0
        tiers:
          - above_input_tokens: 500
            input: 0.20
            cache_read: 0.02
            output: 4
        options:
          service_tier:
            flex: { multiplier: 0.5 }
            priority:
              input: 0.20
              output: 5
          speed:
            fast: { multiplier: 2 }
          inference_geo:
            us:
              input: 1
              output: 2
              tiers:
                - above_input_tokens: 500
                  input: 2
                  output: 3
      - effective_from: 2027-01-01T00:00:00Z
        input: 0.30
        cache_write_1h: 0.50
        output: 3
        search: 7000
        fetch: 0
        options:
          service_tier:
            flex: { multiplier: 0.5 }
          speed:
            fast: { multiplier: 2 }
          inference_geo:
            us:
              input: 1
              output: 2
              tiers:
                - above_input_tokens: 500
                  input: 2
                  output: 3
    deployments:
      - provider: p
`);
  });

  it('changes nothing the second time', () => {
    const once = update('2026-12-31');
    expect(updatePrices(once, new SourceIndex(SOURCE), [], '2026-12-31').text).toBe(once);
  });
});
