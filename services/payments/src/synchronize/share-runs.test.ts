import { describe, expect, it } from 'vitest';
import type { PaymentRef } from '../providers/provider.ts';
import { shareRuns } from './share-runs.ts';

/** Runs that end when they are told to, in order. */
class Runs {
  readonly refs: PaymentRef[] = [];
  readonly #ends: { resolve: (booked: number) => void; reject: (error: Error) => void }[] = [];

  readonly run = (ref: PaymentRef): Promise<number> => {
    this.refs.push(ref);
    return new Promise((resolve, reject) => this.#ends.push({ resolve, reject }));
  };

  end(index: number, booked: number): void {
    this.#ends[index]?.resolve(booked);
  }

  fail(index: number): void {
    this.#ends[index]?.reject(new Error('the ledger is away'));
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const ref = { providerPayment: 'pi_1' };

describe('runs of one payment', () => {
  it('follow one another, and those that come during one share the next', async () => {
    const runs = new Runs();
    const synchronize = shareRuns(runs.run);
    const first = synchronize(ref);
    const others = [synchronize(ref), synchronize(ref), synchronize(ref)];
    await settle();
    expect(runs.refs).toHaveLength(1);
    runs.end(0, 1);
    expect(await first).toBe(1);
    await settle();
    expect(runs.refs).toHaveLength(2);
    const late = synchronize(ref);
    runs.end(1, 2);
    expect(await Promise.all(others)).toEqual([2, 0, 0]);
    await settle();
    // What came during the second run may be about something later.
    expect(runs.refs).toHaveLength(3);
    runs.end(2, 0);
    expect(await late).toBe(0);
  });

  it('tell everyone who shares a run that it failed, and no one else', async () => {
    const runs = new Runs();
    const synchronize = shareRuns(runs.run);
    const first = synchronize(ref);
    const others = [synchronize(ref), synchronize(ref)];
    runs.fail(0);
    await expect(first).rejects.toThrow('the ledger is away');
    await settle();
    runs.end(1, 1);
    expect(await Promise.all(others)).toEqual([1, 0]);
    const again = synchronize(ref);
    const shared = [synchronize(ref), synchronize(ref)];
    runs.end(2, 0);
    await again;
    await settle();
    runs.fail(3);
    for (const each of shared) await expect(each).rejects.toThrow('the ledger is away');
  });

  it('do not wait for those of other payments, and begin at once when none runs', async () => {
    const runs = new Runs();
    const synchronize = shareRuns(runs.run);
    const both = [synchronize(ref), synchronize({ providerPayment: 'pi_2' })];
    expect(runs.refs).toHaveLength(2);
    runs.end(0, 1);
    runs.end(1, 1);
    expect(await Promise.all(both)).toEqual([1, 1]);
    await settle();
    const later = synchronize(ref);
    expect(runs.refs).toHaveLength(3);
    runs.end(2, 0);
    expect(await later).toBe(0);
  });
});
