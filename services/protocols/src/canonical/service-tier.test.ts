import { expect, test } from 'vitest';
import { geminiTier, messagesTier, openaiTier, requestedTier, tierOf } from './service-tier.ts';

/** A provider's word, the catalogue's form, and the words for clients of OpenAI's protocols, Anthropic's and Google's. */
const TIERS = [
  ['default', 'default', 'default', 'standard', 'standard'],
  ['standard', 'standard', 'default', 'standard', 'standard'],
  ['ON_DEMAND', 'on_demand', 'default', 'standard', 'standard'],
  ['PROVISIONED_THROUGHPUT', 'provisioned_throughput', 'default', 'standard', 'standard'],
  ['flex', 'flex', 'flex', null, 'flex'],
  ['SERVICE_TIER_FLEX', 'flex', 'flex', null, 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority', 'priority', 'priority', 'priority'],
  ['fast', 'priority', 'priority', 'priority', 'priority'],
  ['batch', 'batch', 'batch', 'batch', 'batch'],
  ['scale', 'scale', 'scale', null, 'scale'],
] as const;

test.each(TIERS)('%s', (word, tier, openai, anthropic, google) => {
  expect(tierOf(word)).toBe(tier);
  expect(openaiTier(tier)).toBe(openai);
  expect(messagesTier(tier)).toBe(anthropic);
  expect(geminiTier(tier)).toBe(google);
});

test.each(['auto', 'unspecified', 'SERVICE_TIER_UNSPECIFIED', 'TRAFFIC_TYPE_UNSPECIFIED', undefined])(
  '%s names no tier',
  (word) => {
    expect(tierOf(word)).toBeUndefined();
  },
);

test('a request has one word for what OpenAI calls fast or priority', () => {
  const words = ['fast', 'priority', 'flex', 'auto', null, undefined].map((word) => requestedTier(word));
  expect(words).toEqual(['priority', 'priority', 'flex', 'auto', null, undefined]);
});
