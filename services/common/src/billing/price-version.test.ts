import { expect, it } from 'vitest';
import { formatPriceVersion, parsePriceVersion } from './price-version.ts';

it.each([
  ['v-1', 0, {}],
  ['v-1#over-200000', 200_000, {}],
  ['v-1#service_tier=flex', 0, { service_tier: 'flex' }],
  ['v-1#over-10#speed=fast#price_multiplier=1.1', 10, { speed: 'fast', price_multiplier: '1.1' }],
])('%s', (text, aboveInputTokens, options) => {
  expect(formatPriceVersion('v-1', BigInt(aboveInputTokens), options)).toBe(text);
  expect(parsePriceVersion(text)).toEqual({ version: 'v-1', aboveInputTokens, options });
});

it.each(['', 'a#b', 'v#over-x', 'v#over-0', 'v#over-10#A=b'])('%j is a version as it is', (text) => {
  expect(parsePriceVersion(text)).toEqual({ version: text, aboveInputTokens: 0, options: {} });
});
