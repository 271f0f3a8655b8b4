import { newId } from '@tollgate/common/ids';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { describe, expect, it, vi } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import type { SettlementPlan } from './plan-settlement.ts';
import type { SettlementRecord } from './settlement-record.ts';
import { Settler } from './settler.ts';

/** A settler whose commits the test completes. */
function createSettler(lanes: number, maxRows = 10) {
  const commits: { rows: number; end: (error?: Error) => void }[] = [];
  let begun = Promise.withResolvers<void>();
  const settler = new Settler({
    lanes,
    rows: { minRows: maxRows, maxRows: maxRows, targetMs: 1_000 },
    onSettled: () => undefined,
    commit: (records) =>
      new Promise<SettlementPlan>((resolve, reject) => {
        const end = (error?: Error) => (error === undefined ? resolve(planOf(records)) : reject(error));
        commits.push({ rows: records.length, end });
        begun.resolve();
        begun = Promise.withResolvers();
      }),
  });
  return { settler, commits, nextCommit: () => begun.promise };
}

/** Posts every record, except free ones, which are reported as duplicates to distinguish the outcomes. */
function planOf(records: readonly SettlementRecord[]): SettlementPlan {
  const outcomes = records.map((record) =>
    record.charge.costNanos === 0n ? SettleOutcome.DUPLICATE : SettleOutcome.POSTED,
  );
  return { outcomes, postings: [], quarantined: [] };
}

const owner = { accountId: newId(), sessionId: newId() };
const batch = (...costs: bigint[]) => costs.map((cost) => buildCharge(owner, cost));

describe('the settler', () => {
  it('commits what arrived in the meantime together, and resolves each batch with its own outcomes', async () => {
    const { settler, commits, nextCommit } = createSettler(1);
    const first = settler.settle(batch(1n));
    const second = settler.settle(batch(0n, 1n));
    const third = settler.settle(batch(1n, 0n, 0n));
    expect(commits.map((commit) => commit.rows)).toEqual([1]);
    const next = nextCommit();
    commits[0]?.end();
    await next;
    expect(commits.map((commit) => commit.rows)).toEqual([1, 5]);
    commits[1]?.end();
    expect(await first).toEqual([SettleOutcome.POSTED]);
    expect(await second).toEqual([SettleOutcome.DUPLICATE, SettleOutcome.POSTED]);
    expect(await third).toEqual([SettleOutcome.POSTED, SettleOutcome.DUPLICATE, SettleOutcome.DUPLICATE]);
  });

  it('shares what is more than one transaction among its lanes by account, and answers each batch once all of it is settled', async () => {
    const owners = Array.from({ length: 40 }, () => ({ accountId: newId(), sessionId: newId() }));
    const running: { records: readonly SettlementRecord[]; end: () => void }[] = [];
    const together: Set<string>[][] = [];
    const settler = new Settler({
      lanes: 3,
      rows: { minRows: 50, maxRows: 50, targetMs: 1_000 },
      onSettled: () => undefined,
      commit: (records) =>
        new Promise((resolve) => {
          const commit = {
            records,
            end: () => {
              running.splice(running.indexOf(commit), 1);
              resolve(planOf(records));
            },
          };
          running.push(commit);
          together.push(running.map((one) => new Set(one.records.map(({ charge }) => charge.accountId))));
        }),
    });
    const batches = Array.from({ length: 9 }, (_, index) =>
      owners.map((one, place) => buildCharge(one, (place + index) % 3 === 0 ? 0n : 1n)),
    );
    let answered = 0;
    const settled = batches.map(async (charges) => {
      const outcomes = await settler.settle(charges);
      answered++;
      return outcomes;
    });
    // The first batch fits and goes alone; what came since does not, and each lane that is free takes its own of it.
    expect(running.map(({ records }) => records.length)[0]).toBe(owners.length);
    while (answered < batches.length) {
      await vi.waitUntil(() => running.length > 0 || answered === batches.length, { interval: 1 });
      expect(running.length).toBeLessThanOrEqual(3);
      for (const { records } of running) expect(records.length).toBeLessThanOrEqual(50);
      running[0]?.end();
    }
    const outcomes = await Promise.all(settled);
    for (const [index, charges] of batches.entries()) {
      expect(outcomes[index]).toEqual(
        charges.map((charge) => (charge.costNanos === 0n ? SettleOutcome.DUPLICATE : SettleOutcome.POSTED)),
      );
    }
    // While there was too much for one transaction, no two that ran together had an account in common.
    const crowded = together.filter((sets) => sets.length === 3);
    expect(crowded.length).toBeGreaterThan(0);
    for (const sets of crowded.map((all) => all.filter((set) => set.size < owners.length))) {
      expect(new Set(sets.flatMap((set) => [...set])).size).toBe(sets.reduce((sum, set) => sum + set.size, 0));
    }
  });

  it('puts more into a transaction while full ones are fast, and less when one is slow', async () => {
    let now = 0;
    const commits: { rows: number; end: () => void }[] = [];
    const settler = new Settler({
      lanes: 1,
      rows: { minRows: 4, maxRows: 100, targetMs: 100 },
      onSettled: () => undefined,
      now: () => now,
      commit: (records) =>
        new Promise((resolve) => {
          commits.push({ rows: records.length, end: () => resolve(planOf(records)) });
        }),
    });
    const settled = Array.from({ length: 20 }, () => settler.settle(batch(1n, 1n)));
    const took = [1, 10, 10, 500, 10, 10, 10];
    for (const [index, ms] of took.entries()) {
      await vi.waitUntil(() => commits.length > index);
      now += ms;
      commits[index]?.end();
    }
    await Promise.all(settled);
    expect(commits.map((commit) => commit.rows)).toEqual([2, 4, 6, 9, 5, 8, 6]);
  });

  it('fails the batches of a transaction that fails, and goes on', async () => {
    const { settler, commits, nextCommit } = createSettler(1);
    const first = settler.settle(batch(1n));
    const next = nextCommit();
    const second = settler.settle(batch(1n));
    commits[0]?.end(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await next;
    commits[1]?.end();
    expect(await second).toEqual([SettleOutcome.POSTED]);
  });

  it('refuses more when too much waits', async () => {
    const { settler } = createSettler(1);
    const waiting = Array.from({ length: 1_001 }, () => settler.settle(batch(0n)));
    expect(waiting).toHaveLength(1_001);
    await expect(settler.settle(batch(0n))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
