import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isChosen } from './load-keys.ts';

it('chooses exactly the wanted number, evenly', () => {
  const sizes = fc
    .integer({ min: 1, max: 2_000 })
    .chain((count) => fc.tuple(fc.constant(count), fc.integer({ min: 1, max: count })));
  fc.assert(
    fc.property(sizes, ([count, kept]) => {
      const chosen = Array.from({ length: count }, (_, index) => index).filter((index) => isChosen(index, count, kept));
      expect(chosen).toHaveLength(kept);
      const gaps = chosen.slice(1).map((index, at) => index - (chosen[at] ?? 0));
      expect(Math.max(0, ...gaps)).toBeLessThanOrEqual(Math.ceil(count / kept));
    }),
  );
});
