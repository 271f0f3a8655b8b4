import { describe, expect, it } from 'vitest';
import { chooseSeed } from './seed.ts';

describe('the seed of random tests', () => {
  it('is fixed in CI', () => {
    expect(chooseSeed({ CI: 'true' }, 1)).toBe(chooseSeed({ CI: 'true' }, 2));
  });

  it('is new for developers and in the long modes', () => {
    expect(chooseSeed({}, 1)).not.toBe(chooseSeed({}, 2));
    expect(chooseSeed({ CI: 'true', LONG: '1' }, 1)).not.toBe(chooseSeed({ CI: 'true', LONG: '1' }, 2));
  });

  it('is SEED, which must be an integer', () => {
    expect(chooseSeed({ CI: 'true', SEED: '7' }, 1)).toBe(7);
    expect(() => chooseSeed({ SEED: 'seven' }, 1)).toThrow('SEED must be an integer, not "seven".');
  });
});
