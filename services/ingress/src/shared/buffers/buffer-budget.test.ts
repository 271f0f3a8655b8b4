import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BufferBudget } from './buffer-budget.ts';

/** Longer than a test takes. */
const NEVER_MS = 600_000;

describe('BufferBudget', () => {
  it('grants half of its bytes to one account, and the rest to others', () => {
    const budget = new BufferBudget(100);
    expect(budget.open('a').tryGrow(30)).toBe(true);
    expect(budget.open('a').tryGrow(20)).toBe(true);
    expect(budget.open('a').tryGrow(1)).toBe(false);
    expect(budget.open('b').tryGrow(50)).toBe(true);
    expect(budget.open('c').tryGrow(1)).toBe(false);
    expect(budget.usedBytes).toBe(100);
  });

  it('reports a full account as such', async () => {
    const budget = new BufferBudget(100, { waitMs: 1 });
    const held = budget.open('a');
    held.tryGrow(50);
    expect(await budget.open('a').grow(1)).toBe('account_full');
    budget.open('b').tryGrow(50);
    expect(await budget.open('c').grow(1)).toBe('process_full');
  });

  it('resumes waiting reservations as soon as they fit, in order of arrival', async () => {
    const budget = new BufferBudget(100, { waitMs: NEVER_MS });
    const [first, second] = [budget.open('a'), budget.open('a')];
    first.tryGrow(40);
    second.tryGrow(10);
    const order: string[] = [];
    const [large, small] = [budget.open('a'), budget.open('a')];
    const waits = [
      large.grow(45).then((refusal) => order.push(`large ${refusal}`)),
      small.grow(5).then((refusal) => order.push(`small ${refusal}`)),
    ];
    second.release();
    await waits[1];
    expect(order).toEqual(['small undefined']);
    first.release();
    await waits[0];
    expect({ order, used: budget.usedBytes }).toEqual({ order: ['small undefined', 'large undefined'], used: 50 });
  });

  it('always grants small reservations that expect to stay small', () => {
    const budget = new BufferBudget(100, { smallBytes: 10 });
    for (const account of ['a', 'b']) budget.open(account).tryGrow(50);
    const small = budget.open('a');
    expect([small.tryGrow(4), small.tryGrow(6), small.tryGrow(1)]).toEqual([true, true, false]);
    const large = budget.open('c');
    large.expect(11);
    expect(large.tryGrow(4)).toBe(false);
    expect(budget.usedBytes).toBe(110);
  });

  it('rejects at the first step what can never fit', async () => {
    const budget = new BufferBudget(100, { waitMs: NEVER_MS });
    expect(await budget.open('a').grow(51)).toBe('account_full');
    const expecting = budget.open('a');
    expecting.expect(51);
    expect(await expecting.grow(1)).toBe('account_full');
    const grown = budget.open('a');
    grown.tryGrow(30);
    expect(await grown.grow(21)).toBe('account_full');
  });

  it('does not count bytes that are only expected', () => {
    const budget = new BufferBudget(100);
    for (const account of ['a', 'b']) for (let n = 0; n < 10; n++) budget.open(account).expect(50);
    expect({ used: budget.usedBytes, fits: budget.open('a').tryGrow(50) }).toEqual({ used: 0, fits: true });
  });

  it('finishes all reservations that grow step by step at the same time', async () => {
    const budget = new BufferBudget(100, { waitMs: NEVER_MS });
    const upload = async (account: string) => {
      const reservation = budget.open(account);
      reservation.expect(40);
      for (let step = 0; step < 4; step++) {
        expect(await reservation.grow(10)).toBeUndefined();
        await new Promise(setImmediate);
      }
      reservation.release();
    };
    await Promise.all(Array.from({ length: 30 }, (_, n) => upload(`account-${n % 5}`)));
    expect(budget.usedBytes).toBe(0);
  });

  it('resumes others once one has all it expects', async () => {
    const budget = new BufferBudget(100, { waitMs: NEVER_MS });
    const [first, second] = [budget.open('a'), budget.open('a')];
    first.expect(40);
    first.tryGrow(20);
    second.expect(31);
    const waiting = second.grow(1);
    first.shrinkTo(15);
    expect(await waiting).toBeUndefined();
    expect(budget.usedBytes).toBe(16);
  });

  it('limits the total time that each waits', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const budget = new BufferBudget(100, { waitMs: 1_000 });
    const slow = budget.open('a');
    const waitFor = (ms: number) => {
      const other = budget.open('a');
      other.tryGrow(50 - slow.bytes);
      setTimeout(() => other.release(), ms);
      const grown = slow.grow(1);
      return vi.advanceTimersByTimeAsync(10_000).then(() => grown);
    };
    expect(await waitFor(600)).toBeUndefined();
    expect(await waitFor(300)).toBeUndefined();
    expect(await waitFor(300)).toBe('account_full');
  });

  it('is empty once all reservations are released, including waiting ones', async () => {
    const budget = new BufferBudget(100, { waitMs: NEVER_MS });
    const [one, other] = [budget.open('a'), budget.open('a')];
    one.tryGrow(50);
    const waiting = other.grow(10);
    other.release();
    expect(await waiting).toBe('process_full');
    one.release();
    one.release();
    expect({ used: budget.usedBytes, later: one.tryGrow(1) }).toEqual({ used: 0, later: false });
  });
});
