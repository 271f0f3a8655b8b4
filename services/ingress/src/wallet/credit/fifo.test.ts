import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Fifo } from './fifo.ts';

it('returns every item once and in order, items that were put back first', () => {
  const steps = fc.array(fc.oneof(fc.constant('push' as const), fc.integer({ min: 0, max: 5 })), {
    maxLength: 80,
    size: 'max',
  });
  fc.assert(
    fc.property(steps, fc.nat({ max: 3 }), (operations, putBack) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let next = 0;
      for (const operation of operations) {
        if (operation === 'push') {
          fifo.push(next);
          model.push(next);
          next += 1;
          continue;
        }
        const taken = fifo.take(operation);
        expect(taken).toEqual(model.splice(0, operation));
        const back = taken.slice(-putBack);
        fifo.putBack(back);
        model.unshift(...back);
      }
      expect(fifo.length).toBe(model.length);
      expect(fifo.take(next)).toEqual(model);
    }),
  );
});

it('takes only items that fit', () => {
  const fifo = new Fifo<number>();
  fifo.push(1, 2, 9, 3);
  expect(fifo.take(10, (item) => item < 5)).toEqual([1, 2]);
  expect(fifo.length).toBe(2);
});
