import { describe, expect, it } from 'vitest';
import { chosenFacts } from './decisions.ts';
import { disagreements } from './disagreements.ts';
import type { SourceFacts, SourceModel, SourceOption } from './price-source.ts';

const FLEX = { name: 'service_tier', value: 'flex' } as const;
const PRIORITY = { name: 'service_tier', value: 'priority' } as const;

function facts(options: SourceOption[], more: object = {}): SourceFacts {
  return { prices: [{ rates: { input: '2', output: '8', ...more } }], options };
}

function model(genai: SourceFacts, litellm: SourceFacts): SourceModel {
  return { provider: 'p', id: 'm', 'genai-prices': genai, litellm };
}

function found(genai: SourceFacts, litellm: SourceFacts): string[] {
  return disagreements(model(genai, litellm), '2026-11-26').map(
    ({ rate, litellm: other, ...genai }) => `${rate}: ${genai['genai-prices']}, ${other}`,
  );
}

describe('disagreements', () => {
  it('are of searches too', () => {
    expect(found(facts([], { search: '10000' }), facts([], { search: '25000' }))).toEqual(['search: 10000, 25000']);
    expect(found(facts([], { search: '10000' }), facts([]))).toEqual([]);
  });

  it('are of options that both have', () => {
    const half = { ...FLEX, multiplier: '0.5' };
    expect(found(facts([half]), facts([half]))).toEqual([]);
    expect(found(facts([half]), facts([{ ...PRIORITY, multiplier: '2' }]))).toEqual([]);
    expect(found(facts([half]), facts([{ ...FLEX, multiplier: '0.6' }]))).toEqual([
      'multiplier with service_tier flex: 0.5, 0.6',
    ]);
  });

  it('are of rates where an option is no multiple in both', () => {
    const half = { ...FLEX, multiplier: '0.5' };
    const own = { ...FLEX, rates: { input: '1', output: '5' } };
    expect(found(facts([half]), facts([own]))).toEqual(['output with service_tier flex: 4, 5']);
    const tiered = { ...own, tiers: [{ above_input_tokens: 9, rates: { input: '2', output: '6' } }] };
    expect(found(facts([own]), facts([tiered]))).toEqual(['tier above 9 with service_tier flex: none, listed']);
  });
});

describe('chosenFacts', () => {
  it('adds the options that only the other source has', () => {
    const genai = facts([{ ...FLEX, multiplier: '0.5' }]);
    const litellm = facts([
      { ...FLEX, multiplier: '0.6' },
      { ...PRIORITY, multiplier: '2' },
    ]);
    const options = (decided: Parameters<typeof chosenFacts>[1]) =>
      chosenFacts(model(genai, litellm), decided)?.facts.options?.map((option) => Object.values(option).slice(1));
    expect(options([])).toEqual([
      ['flex', '0.5'],
      ['priority', '2'],
    ]);
    const decision = { provider: 'p', models: ['m'], use: 'litellm' as const, why: 'it is newer' };
    expect(options([decision])).toEqual([
      ['flex', '0.6'],
      ['priority', '2'],
    ]);
  });
});
