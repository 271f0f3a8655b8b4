import { describe, expect, it } from 'vitest';
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

  it('names the account as what is full, where it is', async () => {
    const budget = new BufferBudget(100, undefined, 1);
    const held = budget.open('a');
    held.tryGrow(50);
    expect(await budget.open('a').grow(1)).toBe('account_full');
    budget.open('b').tryGrow(50);
    expect(await budget.open('c').grow(1)).toBe('process_full');
  });

  it('lets what waits go on as soon as there is room, in the order it came where it fits', async () => {
    const budget = new BufferBudget(100, undefined, NEVER_MS);
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

  it('refuses at once what can never fit', async () => {
    const budget = new BufferBudget(100, undefined, NEVER_MS);
    expect(await budget.open('a').grow(51)).toBe('account_full');
  });

  it('has everything back once all reservations are released, also of those that wait', async () => {
    const budget = new BufferBudget(100, undefined, NEVER_MS);
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
