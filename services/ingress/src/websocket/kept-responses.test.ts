import { expect, it } from 'vitest';
import { KeptResponses } from './kept-responses.ts';

const response = (id: string, bytes: number) => ({ id, items: Buffer.alloc(bytes, 'x') });

it('keeps the last response of each socket', () => {
  const kept = new KeptResponses({ totalBytes: 1_000, responseBytes: 500 });
  const [one, other] = [{}, {}];
  kept.keep(one, response('a', 10));
  kept.keep(one, response('b', 20));
  kept.keep(other, response('c', 30));
  expect(kept.itemsOf(one, 'a')).toBeUndefined();
  expect(kept.itemsOf(one, 'b')).toHaveLength(20);
  expect(kept.itemsOf(other, 'b')).toBeUndefined();
  kept.drop(one);
  expect(kept.itemsOf(one, 'b')).toBeUndefined();
  kept.drop(other);
  expect(kept.bytes).toBe(0);
});

it('drops the ones that were not used for the longest time', () => {
  const kept = new KeptResponses({ totalBytes: 1_000, responseBytes: 500 });
  const [one, two, three] = [{}, {}, {}];
  kept.keep(one, response('a', 400));
  kept.keep(two, response('b', 400));
  expect(kept.itemsOf(one, 'a')).toBeDefined();
  kept.keep(three, response('c', 400));
  expect(kept.itemsOf(two, 'b')).toBeUndefined();
  expect(kept.itemsOf(one, 'a')).toBeDefined();
  expect(kept.bytes).toBeLessThanOrEqual(1_000);
});

it('does not keep one that is too large, nor the one before it', () => {
  const kept = new KeptResponses({ totalBytes: 1_000, responseBytes: 500 });
  const socket = {};
  kept.keep(socket, response('a', 10));
  kept.keep(socket, response('b', 600));
  expect(kept.itemsOf(socket, 'a')).toBeUndefined();
  expect(kept.itemsOf(socket, 'b')).toBeUndefined();
  expect(kept.bytes).toBe(0);
});
