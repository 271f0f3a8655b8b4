import { expect, it } from 'vitest';
import { pausesFor, runStages } from './stages.ts';

function* threeStages(done: string[]): Generator<undefined, string> {
  done.push('first');
  yield;
  done.push('second');
  yield;
  done.push('third');
  return 'result';
}

it('runs all stages of a small body synchronously', () => {
  const done: string[] = [];
  expect(runStages(threeStages(done), pausesFor(1_000))).toBe('result');
  expect(done).toEqual(['first', 'second', 'third']);
});

it('lets other work run between the stages of a large body', async () => {
  const done: string[] = [];
  setImmediate(() => done.push('other work'));
  const result = runStages(threeStages(done), pausesFor(1_000_000));
  expect(done).toEqual(['first']);
  await expect(result).resolves.toBe('result');
  expect(done).toEqual(['first', 'other work', 'second', 'third']);
});

it('rejects with the error of a later stage of a large body', async () => {
  function* failing(): Generator<undefined, string> {
    yield;
    throw new Error('cannot be said');
  }
  await expect(runStages(failing(), pausesFor(1_000_000))).rejects.toThrow('cannot be said');
});
