import { expect, test } from 'vitest';
import { Queue } from './queue.ts';

test('returns its items in order, however pushes and drops alternate', () => {
  const queue = new Queue<number>();
  const seen: (number | undefined)[] = [];
  for (let i = 0; i < 10; i++) {
    queue.push(2 * i);
    queue.push(2 * i + 1);
    seen.push(queue.first);
    queue.dropFirst();
  }
  for (; queue.first !== undefined; queue.dropFirst()) seen.push(queue.first);
  expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

test('is empty again once everything is dropped', () => {
  const queue = new Queue<string>();
  queue.push('a');
  queue.dropFirst();
  expect(queue.first).toBeUndefined();
  queue.push('b');
  expect(queue.first).toBe('b');
});
