import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Cohort, pausesFor, runStages, Turns } from './scheduling.ts';

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

/** Concurrent work by a clock that only its stages advance. */
function workers(stages: number, stageMs: number) {
  const clock = { ms: 0 };
  const turns = new Turns(() => clock.ms);
  const done: string[] = [];
  const work = async (name: string) => {
    for (let stage = 1; stage <= stages; stage += 1) {
      await turns.next();
      clock.ms += stageMs;
      done.push(`${name}${stage}`);
    }
  };
  return { done, work };
}

/** The stages that ran in each turn of the event loop, until all were done. */
async function turnsOf(done: string[], all: Promise<unknown>): Promise<string[][]> {
  const turns: string[][] = [];
  let over = false;
  void all.finally(() => {
    over = true;
  });
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(done.splice(0));
  }
  return turns.filter((turn) => turn.length > 0);
}

it('runs one long stage per turn of the event loop, of each worker in turn', async () => {
  const { done, work } = workers(2, 50);
  const all = Promise.all(['a', 'b', 'c'].map(work));
  expect(await turnsOf(done, all)).toEqual([['a1'], ['b1'], ['c1'], ['a2'], ['b2'], ['c2']]);
});

it('runs several short stages in one turn, and continues with the next worker in the next turn', async () => {
  const { done, work } = workers(2, 4);
  const all = Promise.all(['a', 'b', 'c', 'd'].map(work));
  expect(await turnsOf(done, all)).toEqual([
    ['a1', 'b1', 'c1'],
    ['d1', 'a2', 'b2'],
    ['c2', 'd2'],
  ]);
});

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
