import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORRECT_LIMITS, TAKE_LIMITS } from '../src/limits/scripts.ts';

/** An engine that runs Lua as Redis does. */
export interface ScriptEngine {
  eval(script: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  set(name: string, value: string): Promise<unknown>;
  get(name: string): Promise<string | null>;
  pttl(name: string): Promise<number>;
  time(): Promise<unknown>;
}

const LEASE_MS = 60_000;
const OPEN_WAIT_MS = 1_000;
/** What the real time of a run may add, in ms. */
const SLACK_MS = 50;

interface Bucket {
  perMinute: number;
  size: number;
  amount: number;
}

/**
 * Tests what the scripts of the limits promise, on any engine that runs them.
 *
 * @param floodFactor how many times as much as the limit a flood asks for: less on a slow engine
 * @param numRuns histories of each property
 */
export function describeLimitScripts(
  engineName: string,
  open: () => ScriptEngine,
  floodFactor = 10,
  numRuns = 30,
): void {
  const setUp = () => {
    const engine = open();
    const tag = randomBytes(6).toString('hex');
    const bucketName = (index: number) => `{${tag}}b${index}`;
    const bucketNames = (buckets: readonly unknown[]) => buckets.map((_, index) => bucketName(index));
    const numbers = (buckets: readonly Bucket[]) =>
      buckets.flatMap(({ perMinute, size, amount }) => [perMinute, size, amount]);
    const opens = `{${tag}}open`;
    const take = async (buckets: Bucket[], open?: { process: string; max: number; count: number }) => {
      const names = [...bucketNames(buckets), ...(open === undefined ? [] : [opens])];
      const reply = await engine.eval(
        TAKE_LIMITS,
        names.length,
        ...names,
        buckets.length,
        open?.process ?? 'p1',
        LEASE_MS,
        OPEN_WAIT_MS,
        ...numbers(buckets),
        ...(open === undefined ? [] : [open.max, open.count]),
      );
      const [reached = 0, waitMs = 0, ...tokens] = String(reply).split(' ').map(Number);
      return { reached, waitMs, tokens };
    };
    const settle = (buckets: Bucket[], open?: { process: string; count: number; leaseMs?: number }) => {
      const names = [...bucketNames(buckets), ...(open === undefined ? [] : [opens])];
      const head = [buckets.length, open?.process ?? 'p1', open?.leaseMs ?? LEASE_MS];
      return engine.eval(
        CORRECT_LIMITS,
        names.length,
        ...names,
        ...head,
        ...numbers(buckets),
        ...(open ? [open.count] : []),
      );
    };
    /** As if this much time had passed since the bucket was last touched. */
    const age = async (index: number, ms: number) => {
      const name = bucketName(index);
      const [tokens, at] = ((await engine.get(name)) ?? '').split('|');
      if (at !== undefined) await engine.set(name, `${tokens}|${Number(at) - ms}`);
    };
    const tokensOf = async (index: number) => Number(((await engine.get(bucketName(index))) ?? '').split('|')[0]);
    return { engine, opens, bucketName, take, settle, age, tokensOf };
  };
  const one = (perMinute: number, size: number, amount = 1): Bucket => ({ perMinute, size, amount });

  describe(`the limits' scripts on ${engineName}`, { timeout: 60_000 }, () => {
    it('give as many tokens as the bucket holds, then say how long to wait, and that is long enough', async () => {
      const { take, age } = setUp();
      for (let left = 2; left >= 0; left--) {
        expect(await take([one(1, 3)])).toEqual({ reached: 0, waitMs: 0, tokens: [expect.closeTo(left, 0)] });
      }
      const refused = await take([one(1, 3)]);
      expect(refused.reached).toBe(1);
      expect(refused.waitMs).toBeGreaterThan(50_000);
      expect(refused.waitMs).toBeLessThanOrEqual(60_000);
      await age(0, refused.waitMs);
      expect((await take([one(1, 3)])).reached).toBe(0);
    });

    it('accept after the wait they return, whatever the limit', async () => {
      const { take, age } = setUp();
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (perMinute) => {
          await take([one(perMinute, 1)]);
          const refused = await take([one(perMinute, 1)]);
          // A bucket that fills within a millisecond may have done so.
          if (refused.reached === 0) return;
          await age(0, refused.waitMs);
          expect((await take([one(perMinute, 1)])).reached).toBe(0);
          await age(0, 60_000);
        }),
        { numRuns },
      );
    });

    it('never give more than the limit and the burst in any sliding minute', async () => {
      const step = fc.record({ gapMs: fc.nat({ max: 20_000 }), amount: fc.integer({ min: 1, max: 4 }) });
      const history = fc.record({
        perMinute: fc.integer({ min: 1, max: 120 }),
        size: fc.integer({ min: 4, max: 30 }),
        steps: fc.array(step, { minLength: 5, maxLength: 40 }),
      });
      await fc.assert(
        fc.asyncProperty(history, async ({ perMinute, size, steps }) => {
          const { take, age } = setUp();
          const startedAt = performance.now();
          const taken: { atMs: number; amount: number }[] = [];
          let nowMs = 0;
          for (const { gapMs, amount } of steps) {
            await age(0, gapMs);
            nowMs += gapMs;
            if ((await take([one(perMinute, size, amount)])).reached === 0) taken.push({ atMs: nowMs, amount });
          }
          const realMs = performance.now() - startedAt + SLACK_MS;
          for (const [first, { atMs }] of taken.entries()) {
            const within = taken.slice(first).filter((later) => later.atMs < atMs + 60_000);
            const sum = within.reduce((total, { amount }) => total + amount, 0);
            expect(sum).toBeLessThanOrEqual(size + perMinute + (realMs * perMinute) / 60_000);
          }
        }),
        { numRuns },
      );
    });

    it('give the limit to within 1 % once the bucket is empty, however much more is asked for', {
      timeout: 60_000,
    }, async () => {
      const { take, age } = setUp();
      const perMinute = 100;
      const bucket = [one(perMinute, 20)];
      while ((await take(bucket)).reached === 0);
      const startedAt = performance.now();
      const gapMs = 60_000 / perMinute / floodFactor;
      const minutes = 2;
      let accepted = 0;
      for (let asked = 0; asked < minutes * perMinute * floodFactor; asked++) {
        await age(0, gapMs);
        if ((await take(bucket)).reached === 0) accepted += 1;
      }
      const expected = perMinute * (minutes + (performance.now() - startedAt) / 60_000);
      expect(Math.abs(accepted - expected) / expected).toBeLessThan(0.01);
    });

    it('take from all or from none, and return the longest of several waits', async () => {
      const buckets = fc.array(
        fc.record({ size: fc.integer({ min: 1, max: 5 }), amount: fc.integer({ min: 1, max: 5 }) }),
        {
          minLength: 1,
          maxLength: 6,
        },
      );
      await fc.assert(
        fc.asyncProperty(buckets, fc.nat({ max: 6 }), async (shapes, max) => {
          const { take, tokensOf, engine, opens } = setUp();
          const asked = shapes.map(({ size, amount }) => one(1, size, Math.min(size, amount)));
          const levels = asked.map(({ size }) => size);
          for (let count = 1; count <= 6; count++) {
            const fits = asked.every(({ amount }, index) => (levels[index] ?? 0) >= amount) && count <= max;
            const reply = await take(asked, { process: 'p1', max, count });
            expect(reply.reached === 0).toBe(fits);
            if (fits) for (const [index, { amount }] of asked.entries()) levels[index] = (levels[index] ?? 0) - amount;
            for (const [index, level] of levels.entries()) {
              expect(reply.tokens[index]).toBeCloseTo(level, 1);
              if (fits) expect(await tokensOf(index)).toBeCloseTo(level, 1);
            }
            if (fits) expect(await engine.get(opens)).toMatch(new RegExp(`^p1=${count}@\\d+;$`));
            else {
              const waits = asked.map(({ amount }, index) => Math.max(0, amount - (levels[index] ?? 0)) * 60_000);
              const longest = Math.max(...waits, count <= max ? 0 : OPEN_WAIT_MS);
              expect(reply.waitMs).toBeLessThanOrEqual(longest);
              expect(reply.waitMs).toBeGreaterThan(longest - 2_000);
              return;
            }
          }
        }),
        { numRuns },
      );
    });

    it('correct a bucket up to full, and down to a minute below zero', async () => {
      const { take, settle, tokensOf, age } = setUp();
      const size = 100;
      await take([one(6, size, 40)]);
      await settle([one(6, size, 30)]);
      expect(await tokensOf(0)).toBeCloseTo(30, 0);
      await settle([one(6, size, -20)]);
      expect(await tokensOf(0)).toBeCloseTo(50, 0);
      await settle([one(6, size, -1_000)]);
      expect(await tokensOf(0)).toBe(100);
      await settle([one(6, size, 1_000_000)]);
      expect(await tokensOf(0)).toBe(-6);
      const refused = await take([one(6, size, 1)]);
      expect(refused).toMatchObject({ reached: 1, tokens: [expect.closeTo(-6, 0)] });
      expect(refused.waitMs).toBeGreaterThan(60_000);
      await age(0, refused.waitMs);
      expect((await take([one(6, size, 1)])).reached).toBe(0);
    });

    it('let a bucket go when it is full', async () => {
      const { engine, bucketName, take } = setUp();
      await take([one(60, 10, 5)]);
      const left = await engine.pttl(bucketName(0));
      expect(left).toBeGreaterThan(4_000);
      expect(left).toBeLessThanOrEqual(6_000);
    });

    it('take what there is at most when a limit was lowered, and fill by the new one when it was raised', async () => {
      const { take, age } = setUp();
      await take([one(600, 100, 10)]);
      expect((await take([one(60, 10, 1)])).tokens[0]).toBeCloseTo(9, 0);
      await take([one(60, 10, 9)]);
      await age(0, 1_000);
      expect((await take([one(6_000, 1_000, 100)])).reached).toBe(0);
    });

    it('begin with a full bucket where the entry cannot be read', async () => {
      const { engine, bucketName, take } = setUp();
      await engine.set(bucketName(0), 'unreadable');
      expect(await take([one(60, 10, 4)])).toEqual({ reached: 0, waitMs: 0, tokens: [6] });
    });

    it('count the open requests of all processes', async () => {
      const { engine, opens, take, settle } = setUp();
      expect((await take([], { process: 'p1', max: 3, count: 1 })).reached).toBe(0);
      expect((await take([], { process: 'p1', max: 3, count: 2 })).reached).toBe(0);
      expect((await take([], { process: 'p2', max: 3, count: 1 })).reached).toBe(0);
      expect(await take([], { process: 'p2', max: 3, count: 2 })).toMatchObject({ reached: 1, waitMs: OPEN_WAIT_MS });
      expect(await take([], { process: 'p3', max: 3, count: 1 })).toMatchObject({ reached: 1 });
      await settle([], { process: 'p1', count: 1 });
      expect((await take([], { process: 'p3', max: 3, count: 1 })).reached).toBe(0);
      await settle([], { process: 'p1', count: 0 });
      await settle([], { process: 'p2', count: 0 });
      expect(await engine.get(opens)).toMatch(/^p3=1@\d+;$/);
      await settle([], { process: 'p3', count: 0 });
      expect(await engine.get(opens)).toBeNull();
    });

    it('heal by the next word what a lost one left', async () => {
      const { take, settle } = setUp();
      for (let count = 1; count <= 4; count++) await take([], { process: 'p1', max: 4, count });
      // Three of them have ended without a notice.
      expect((await take([], { process: 'p2', max: 4, count: 1 })).reached).toBe(1);
      await settle([], { process: 'p1', count: 1 });
      expect((await take([], { process: 'p2', max: 4, count: 3 })).reached).toBe(0);
    });

    it('drop only the counts of a process that no longer renews them', async () => {
      const { engine, opens, take, settle } = setUp();
      await settle([], { process: 'dead', count: 7 });
      await settle([], { process: 'alive', count: 2 });
      expect((await take([], { process: 'p1', max: 9, count: 1 })).reached).toBe(1);
      const entry = (await engine.get(opens)) ?? '';
      expect(entry).toMatch(/^dead=7@\d+;alive=2@\d+;$/);
      await engine.set(opens, entry.replace(/dead=7@\d+/, `dead=7@${Date.now() - 1_000}`));
      expect((await take([], { process: 'p1', max: 9, count: 7 })).reached).toBe(0);
      expect(await engine.get(opens)).toMatch(/^alive=2@\d+;p1=7@\d+;$/);
      const left = await engine.pttl(opens);
      expect(left).toBeGreaterThan(LEASE_MS - 10_000);
      expect(left).toBeLessThanOrEqual(LEASE_MS);
    });

    it('never admit more than the maximum, in any order of takes, ends and crashes of processes', async () => {
      const event = fc.record({
        process: fc.nat({ max: 2 }),
        what: fc.constantFrom('take', 'take', 'take', 'end', 'renew', 'die'),
      });
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(event, { maxLength: 40 }), async (max, events) => {
          const { take, settle } = setUp();
          const counts = [0, 0, 0];
          for (const { process, what } of events) {
            const count = counts[process] ?? 0;
            const name = `p${process}`;
            const total = counts.reduce((sum, each) => sum + each, 0);
            if (what === 'take') {
              const { reached } = await take([], { process: name, max, count: count + 1 });
              expect(reached === 0).toBe(total < max);
              if (reached === 0) counts[process] = count + 1;
            } else {
              // A process that dies has its requests cut off, and its word runs out.
              if (what === 'die') counts[process] = 0;
              if (what === 'end') counts[process] = Math.max(0, count - 1);
              await settle([], { process: name, count: counts[process] ?? 0 });
            }
            expect(counts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(max);
          }
        }),
        { numRuns },
      );
    });
  });
}
