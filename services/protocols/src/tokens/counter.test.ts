import { describe, expect, test } from 'vitest';
import { loadCounter, MAX_COUNTED_CHARACTERS, STEP_CHARACTERS } from './counter.ts';

describe('loadCounter', () => {
  test.each([
    ['', 0],
    ['hello world', 2],
    ['tiktoken is great!', 6],
    ['お誕生日おめでとう', 8],
  ])('counts %j as %i tokens of o200k_base', async (text, tokens) => {
    const count = await loadCounter();
    expect(await count(text)).toBe(tokens);
  });

  test('counts what looks like a control token as text', async () => {
    const count = await loadCounter();
    expect(await count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('counts a long text in steps to within a token for each', async () => {
    const count = await loadCounter();
    const sentence = 'The quick brown fox jumps over the lazy dog. ';
    const single = (await count(sentence.repeat(20))) - (await count(sentence.repeat(19)));
    const repeats = 600;
    const tokens = await count(sentence.repeat(repeats));
    const steps = (sentence.length * repeats) / STEP_CHARACTERS;
    expect(Math.abs(tokens - single * repeats)).toBeLessThanOrEqual(2 * steps);
  });

  test('yields to other work while it counts', async () => {
    const count = await loadCounter();
    const order: string[] = [];
    const counting = count('a'.repeat(8 * STEP_CHARACTERS)).then(() => order.push('counted'));
    setImmediate(() => order.push('other work'));
    await counting;
    expect(order).toEqual(['other work', 'counted']);
  });

  test('extrapolates the rest of a huge text', async () => {
    const count = await loadCounter();
    const text = 'word '.repeat(MAX_COUNTED_CHARACTERS / 5 + 1);
    const tokens = await count(text);
    const twice = await count(text + text);
    expect(twice / tokens).toBeCloseTo(2, 1);
  });
});
