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
    const names = { generation: `{${tag}}g`, entry: `{${tag}}k`, bucket: `{${tag}}b`, second: `{${tag}}c` };
    const read = (...args: (string | number)[]) => engine.eval(READ_KEY, 1, names.entry, ...args);
    const take = (always: '0' | '1', perMinute: number, burst: number, tokens = 1) =>
      engine.eval(READ_KEY, 2, names.entry, names.bucket, always, perMinute, burst, tokens);
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
    return { engine, names, read, take, begin, end, bury, forget };
  };

  describe(`the cache's scripts on ${engineName}`, () => {
    it('give a record that was filled, and nothing before', async () => {
      const { engine, names, read, begin, end } = setUp();
      expect(await read('0')).toEqual(['', 0, 0]);
      expect(await end(await begin(), 'a|record')).toBe(1);
      expect(await read('0')).toEqual(['a|record', 0, 0]);
      const left = await engine.pttl(names.entry);
      expect(left).toBeGreaterThan(LIFE - 10_000);
      expect(left).toBeLessThanOrEqual(LIFE);
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
      expect(await read('0')).toEqual(['D', 0, 0]);
      expect(await end(await begin(), 'record')).toBe(0);
      expect(await read('0')).toEqual(['D', 0, 0]);
    });

    it('forget a record and refuse fills begun before, but take one begun after', async () => {
      const { read, begin, end, forget } = setUp();
      await end(await begin(), 'old');
      const late = await begin();
      expect(await forget()).toBe(1);
      expect(await read('0')).toEqual(['', 0, 0]);
      expect(await end(late, 'old')).toBe(0);
      expect(await end(await begin(), 'new')).toBe(1);
      expect(await read('0')).toEqual(['new', 0, 0]);
    });

    it('forget nothing of a dead key', async () => {
      const { read, bury, forget } = setUp();
      expect(await forget()).toBe(0);
      await bury();
      expect(await forget()).toBe(0);
      expect(await read('0')).toEqual(['D', 0, 0]);
    });

    it('refuse a fill when everything was flushed in between, whether others have begun since or not', async () => {
      const { engine, names, read, begin, end } = setUp();
      const fill = await begin();
      await engine.del(names.generation, names.entry);
      expect(await end(fill, 'record')).toBe(0);
      await begin();
      expect(await end(fill, 'record')).toBe(0);
      expect(await read('0')).toEqual(['', 0, 0]);
    });

    it('refuse a fill whose record would be dead already', async () => {
      const { begin, end, read } = setUp();
      const { generation } = await begin();
      expect(await end({ generation, diesAt: '1000' }, 'record')).toBe(0);
      expect(await read('0')).toEqual(['', 0, 0]);
    });

    it('do not give a record past its time, even if the entry came back without an end', async () => {
      const { engine, names, read } = setUp();
      await engine.set(names.entry, `${Date.now() - 60_000}|record`);
      expect(await read('0')).toEqual(['', 0, 0]);
      await engine.set(names.entry, `${Date.now() + 60_000}|record`);
      expect(await read('0')).toEqual(['record', 0, 0]);
      await engine.set(names.entry, 'unreadable');
      expect(await read('0')).toEqual(['', 0, 0]);
    });

    it('give as many tokens as the bucket holds, then say how long to wait', async () => {
      const { take, begin, end } = setUp();
      await end(await begin(), 'record');
      for (let count = 0; count < 3; count++) expect(await take('0', 1, 3)).toEqual(['record', 0, 0]);
      const refused = await take('0', 1, 3);
      if (!Array.isArray(refused)) throw new Error('a reading is a list');
      expect(refused[0]).toBe('record');
      expect(refused[1]).toBeGreaterThan(50_000);
      expect(refused[1]).toBeLessThanOrEqual(60_000);
      expect(refused[2]).toBe(1);
    });

    it('fill a bucket as time passes', async () => {
      const { engine, names, take } = setUp();
      await engine.set(names.bucket, `0.000000|${Date.now() - 30_000}`);
      // Thirty seconds at 60 a minute are 30 tokens, a few more on a slow machine.
      expect(await take('1', 60, 100, 29)).toEqual(['', 0, 0]);
      expect(await take('1', 60, 100, 29)).toMatchObject(['', expect.any(Number), 1]);
    });

    it('take nothing for a missing key unless told to, and nothing for a dead one', async () => {
      const { engine, names, take, bury } = setUp();
      expect(await take('0', 60, 5)).toEqual(['', 0, 0]);
      expect(await engine.get(names.bucket)).toBeNull();
      expect(await take('1', 60, 5)).toEqual(['', 0, 0]);
      expect(await engine.get(names.bucket)).toMatch(/^4\.000000\|\d+$/);
      await bury();
      expect(await take('1', 60, 5)).toEqual(['D', 0, 0]);
      expect(await engine.get(names.bucket)).toMatch(/^4\.000000\|\d+$/);
    });

    it('take from all buckets or from none', async () => {
      const { engine, names } = setUp();
      const takeBoth = () => engine.eval(READ_KEY, 3, names.entry, names.bucket, names.second, '1', 1, 5, 1, 1, 1, 1);
      expect(await takeBoth()).toEqual(['', 0, 0]);
      expect(await takeBoth()).toMatchObject(['', expect.any(Number), 2]);
      expect(await engine.get(names.bucket)).toMatch(/^4\.000000/);
      expect(await engine.get(names.second)).toMatch(/^0\.000000/);
    });
  });
}
