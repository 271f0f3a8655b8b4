import { describe, expect, it } from 'vitest';
import { amountText, decimalsOf, exactText } from './amounts.ts';

describe('an amount on a document', () => {
  it.each([
    [0n, '$0.00'],
    [50_000_000_000n, '$50.00'],
    [-1_234_567_890_000_000n, '−$1,234,567.89'],
    [412_500n, '$0.0004125'],
    [-1n, '−$0.000000001'],
  ])('of %s nano-dollars is %s, exactly', (nanos, text) => expect(exactText(nanos)).toBe(text));

  it('has as many decimals as the most exact one beside it', () => {
    const amounts = [50_000_000_000n, -412_500n];
    const decimals = decimalsOf(amounts);
    expect(amounts.map((nanos) => amountText(nanos, decimals))).toEqual([
      { main: '$50.00', rest: '00000' },
      { main: '−$0.00', rest: '04125' },
    ]);
    expect(decimalsOf([])).toBe(2);
  });
});
