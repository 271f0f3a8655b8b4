import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Cohort } from './cohort.ts';

it('runs tasks of an iteration one after another, before their reactions', async () => {
  const cohort = new Cohort();
  const done: string[] = [];
  const add = (name: string) =>
    cohort.add(() => {
      done.push(name);
      void Promise.resolve().then(() => done.push(`after ${name}`));
    });
  add('first');
  process.nextTick(() => add('second'));
  await Promise.resolve().then(() => add('third'));
  expect(done).toEqual([]);
  await nextIteration();
  expect(done).toEqual(['first', 'third', 'second', 'after first', 'after third', 'after second']);
});

it('runs a task that a task adds in the next iteration', async () => {
  const cohort = new Cohort();
  const done: string[] = [];
  cohort.add(() => {
    cohort.add(() => done.push('second'));
    done.push('first');
  });
  await nextIteration();
  expect(done).toEqual(['first']);
  await nextIteration();
  expect(done).toEqual(['first', 'second']);
});
