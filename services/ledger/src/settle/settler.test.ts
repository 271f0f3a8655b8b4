import { newId } from '@tollgate/common/ids';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { describe, expect, it, vi } from 'vitest';
import { buildCharge } from '../testing/build-charge.ts';
import type { SettlementPlan } from './plan-settlement.ts';
import type { SettlementRecord } from './settlement-record.ts';
import { Settler } from './settler.ts';

/** A settler whose commits end when the test says so. */
function held(lanes: number, maxRows = 10) {
  const commits: { rows: number; end: (error?: Error) => void }[] = [];
  let begun = Promise.withResolvers<void>();
  const settler = new Settler({
    lanes,
    rows: { leastRows: maxRows, mostRows: maxRows, targetMs: 1_000 },
    committed: () => undefined,
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

/** Posts every record, and says of each free one that it is a duplicate, so that outcomes can be told apart. */
function planOf(records: readonly SettlementRecord[]): SettlementPlan {
  const outcomes = records.map((record) =>
    record.charge.costNanos === 0n ? SettleOutcome.DUPLICATE : SettleOutcome.POSTED,
  );
  return { outcomes, postings: [], quarantined: [] };
}

const owner = { accountId: newId(), sessionId: newId() };
const batch = (...costs: bigint[]) => costs.map((cost) => buildCharge(owner, cost));

describe('the settler', () => {
  it('commits what arrived meanwhile together, and answers each batch with its own outcomes', async () => {
    const { settler, commits, nextCommit } = held(1);
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

  it('keeps to its lanes and to its rows, but takes a batch as it is', async () => {
    const { settler, commits, nextCommit } = held(2, 4);
    const sizes = [7, 1, 3, 2];
    const settled = sizes.map((size) => settler.settle(batch(...Array.from({ length: size }, () => 1n))));
    expect(commits.map((commit) => commit.rows)).toEqual([7, 1]);
    let next = nextCommit();
    commits[0]?.end();
    await next;
    expect(commits.map((commit) => commit.rows)).toEqual([7, 1, 3]);
    next = nextCommit();
    commits[1]?.end();
    await next;
    for (const commit of commits) commit.end();
    expect((await Promise.all(settled)).map((outcomes) => outcomes.length)).toEqual(sizes);
  });

  it('puts more into a transaction while full ones are fast, and less when one is slow', async () => {
    let now = 0;
    const commits: { rows: number; end: () => void }[] = [];
    const settler = new Settler({
      lanes: 1,
      rows: { leastRows: 4, mostRows: 100, targetMs: 100 },
      committed: () => undefined,
      now: () => now,
      commit: (records) =>
        new Promise((resolve) => {
          commits.push({ rows: records.length, end: () => resolve(planOf(records)) });
        }),
    });
    const settled = Array.from({ length: 20 }, () => settler.settle(batch(1n, 1n)));
    const took = [1, 10, 10, 500, 10, 10, 10, 10];
    for (const [index, ms] of took.entries()) {
      await vi.waitUntil(() => commits.length > index);
      now += ms;
      commits[index]?.end();
    }
    await Promise.all(settled);
    expect(commits.map((commit) => commit.rows)).toEqual([2, 4, 6, 8, 4, 6, 8, 2]);
  });

  it('fails the batches of a transaction that fails, and goes on', async () => {
    const { settler, commits, nextCommit } = held(1);
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
    const { settler } = held(1);
    const waiting = Array.from({ length: 1_001 }, () => settler.settle(batch(0n)));
    expect(waiting).toHaveLength(1_001);
    await expect(settler.settle(batch(0n))).rejects.toMatchObject({ code: 'resource_exhausted' });
  });
});
