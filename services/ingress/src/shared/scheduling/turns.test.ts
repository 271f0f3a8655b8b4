import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

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
