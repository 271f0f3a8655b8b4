import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BEGIN_FILL, BURY_KEY, END_FILL, FORGET_KEY, READ_KEY } from './scripts.ts';

/** Anything that runs Lua as Redis does. */
export interface ScriptEngine {
  eval(script: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  set(name: string, value: string): Promise<unknown>;
  get(name: string): Promise<string | null>;
  del(...names: string[]): Promise<unknown>;
  pttl(name: string): Promise<number>;
  time(): Promise<unknown>;
}

const LIFE = 60_000;

/** What the scripts promise, told of any engine they are to run on. */
export function describeScripts(engineName: string, open: () => ScriptEngine): void {
  const setUp = () => {
    const engine = open();
    const tag = randomBytes(6).toString('hex');
    const names = { generation: `{${tag}}g`, entry: `{${tag}}k` };
    const read = () => engine.eval(READ_KEY, 1, names.entry);
    const begin = async () => {
      const answer = await engine.eval(BEGIN_FILL, 1, names.generation, randomBytes(6).toString('hex'), LIFE, LIFE);
      if (!Array.isArray(answer)) throw new Error('a fill begins with a list');
      return { generation: String(answer[0]), diesAt: String(answer[1]) };
    };
    const end = (fill: { generation: string; diesAt: string }, record: string) =>
      engine.eval(END_FILL, 2, names.generation, names.entry, fill.generation, fill.diesAt, record);
    const bury = () =>
      engine.eval(BURY_KEY, 2, names.generation, names.entry, randomBytes(6).toString('hex'), LIFE, LIFE);
    const forget = () =>
      engine.eval(FORGET_KEY, 2, names.generation, names.entry, randomBytes(6).toString('hex'), LIFE);
    return { engine, names, read, begin, end, bury, forget };
  };

  describe(`the cache's scripts on ${engineName}`, () => {
    it('give a record that was filled, and nothing before', async () => {
      const { engine, names, read, begin, end } = setUp();
      expect(await read()).toBe('');
      expect(await end(await begin(), 'a|record')).toBe(1);
      expect(await read()).toBe('a|record');
      const left = await engine.pttl(names.entry);
      expect(left).toBeGreaterThan(LIFE - 10_000);
      // The machine's clock may be set while this runs.
      expect(left).toBeLessThan(LIFE + 10_000);
    });

    it('keep one generation until something happens', async () => {
      const { begin } = setUp();
      expect((await begin()).generation).toBe((await begin()).generation);
    });

    it('refuse a fill when the key was buried in between, and answer that it is dead', async () => {
      const { read, begin, end, bury } = setUp();
      const fill = await begin();
      await bury();
      expect(await end(fill, 'record')).toBe(0);
      expect(await read()).toBe('D');
      expect(await end(await begin(), 'record')).toBe(0);
      expect(await read()).toBe('D');
    });

    it('forget a record and refuse fills begun before, but take one begun after', async () => {
      const { read, begin, end, forget } = setUp();
      await end(await begin(), 'old');
      const late = await begin();
      expect(await forget()).toBe(1);
      expect(await read()).toBe('');
      expect(await end(late, 'old')).toBe(0);
      expect(await end(await begin(), 'new')).toBe(1);
      expect(await read()).toBe('new');
    });

    it('forget nothing of a dead key', async () => {
      const { read, bury, forget } = setUp();
      expect(await forget()).toBe(0);
      await bury();
      expect(await forget()).toBe(0);
      expect(await read()).toBe('D');
    });

    it('refuse a fill when everything was flushed in between, whether others have begun since or not', async () => {
      const { engine, names, read, begin, end } = setUp();
      const fill = await begin();
      await engine.del(names.generation, names.entry);
      expect(await end(fill, 'record')).toBe(0);
      await begin();
      expect(await end(fill, 'record')).toBe(0);
      expect(await read()).toBe('');
    });

    it('refuse a fill whose record would be dead already', async () => {
      const { begin, end, read } = setUp();
      const { generation } = await begin();
      expect(await end({ generation, diesAt: '1000' }, 'record')).toBe(0);
      expect(await read()).toBe('');
    });

    it('do not give a record past its time, even if the entry came back without an end', async () => {
      const { engine, names, read } = setUp();
      await engine.set(names.entry, `${Date.now() - 60_000}|record`);
      expect(await read()).toBe('');
      await engine.set(names.entry, `${Date.now() + 60_000}|record`);
      expect(await read()).toBe('record');
      await engine.set(names.entry, 'unreadable');
      expect(await read()).toBe('');
    });
  });
}
