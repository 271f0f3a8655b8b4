import { newId, newTraceId } from '@tollgate/common/ids';
import { inTransaction } from '@tollgate/common/postgres/pool';
import { CapPeriod, type HeldNode, Refusal } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { type LeasedKey, leasedKey, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { lockBalance } from '../store/balances.ts';
import { writeCap } from '../store/ceilings.ts';
import { listEvents } from '../store/events.ts';
import { alertRefusingCaps } from './cap-alerts.ts';

const NANOS = 1_000_000_000n;

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** A key of an account with much credit, and a total cap in dollars. */
async function cappedKey(limit: bigint): Promise<LeasedKey> {
  const owner = await leasedKey(ledger.pool, 1_000n * NANOS);
  await setLimit(owner, limit, 1n);
  return owner;
}

function setLimit({ accountId, keyId }: LeasedKey, limit: bigint, revision: bigint): Promise<bigint> {
  return inTransaction(ledger.pool, async (client) => {
    await lockBalance(client, accountId);
    const cap = { accountId, nodeId: keyId, period: 'total' as const, startMs: 0 };
    return writeCap(client, cap, { limitNanos: limit * NANOS, revision });
  });
}

const spend = (owner: LeasedKey, ...dollars: bigint[]) =>
  settle(
    ledger.pool,
    ...dollars.map((each) => buildCharge({ ...owner, keyName: 'ci', caps: [CapPeriod.TOTAL] }, each * NANOS)),
  );

const settleAbove = (owner: LeasedKey, nodes: HeldNode[], dollars: bigint) =>
  settle(ledger.pool, buildCharge({ ...owner, nodes }, dollars * NANOS));

const refuse = ({ accountId, keyId }: LeasedKey, reason = 'cap_exceeded', nodes: HeldNode[] = []) =>
  alertRefusingCaps(ledger.pool, [
    Refusal.fromPartial({
      nodes,
      requestId: newId(),
      traceId: newTraceId(),
      accountId,
      keyId,
      keyName: 'ci',
      reason,
      refusedAtMs: BigInt(Date.now()),
    }),
  ]);

/** Events of the account, oldest first. */
async function eventsOf({ accountId }: LeasedKey): Promise<string[]> {
  const events = await listEvents(ledger.pool, accountId, undefined, 100);
  return events.toReversed().map(({ type, dataJson }) => {
    const { spent, limit, key_name: key } = JSON.parse(dataJson);
    return `${type}: ${key} ${spent} of ${limit}`;
  });
}

/** The parts of a limit that events report, oldest first. */
async function percentsOf({ accountId }: LeasedKey): Promise<string[]> {
  const events = await listEvents(ledger.pool, accountId, undefined, 100);
  return events.toReversed().map(({ dataJson }) => JSON.parse(dataJson).percent);
}

describe('a cap', () => {
  it('is reported when 50, 75 and 90 % of it are spent and when all of it is, once each', async () => {
    const owner = await cappedKey(100n);
    const reported: [spent: bigint, events: string[]][] = [
      [49n, []],
      [1n, ['cap.low: ci 50 of 100']],
      [24n, []],
      [1n, ['cap.low: ci 75 of 100']],
      [14n, []],
      [1n, ['cap.low: ci 90 of 100']],
      [9n, []],
      [1n, ['cap.reached: ci 100 of 100']],
      [5n, []],
    ];
    for (const [spent, events] of reported) {
      const before = await eventsOf(owner);
      await spend(owner, spent);
      expect(await eventsOf(owner)).toEqual([...before, ...events]);
    }
    expect(await percentsOf(owner)).toEqual(['50', '75', '90', '100']);
  });

  it('of so few nano-dollars that a part of it is none is reported in whole ones', async () => {
    const owner = await cappedKey(3n);
    await spend(owner, 1n);
    expect(await eventsOf(owner)).toEqual([]);
    await spend(owner, 1n);
    await spend(owner, 1n);
    expect(await percentsOf(owner)).toEqual(['50', '100']);
  });

  it('that one batch brings past several parts is reported with the last', async () => {
    const low = await cappedKey(10n);
    await spend(low, 5n, 3n);
    expect(await percentsOf(low)).toEqual(['75']);
    const owner = await cappedKey(10n);
    await spend(owner, 5n, 4n, 3n);
    expect(await eventsOf(owner)).toEqual(['cap.reached: ci 12 of 10']);
  });

  it('is reported once while batches settle concurrently', async () => {
    const owner = await cappedKey(100n);
    await Promise.all(Array.from({ length: 20 }, () => spend(owner, 5n)));
    const percents = await percentsOf(owner);
    expect(percents).toEqual(['50', '75', '90', '100'].filter((percent) => percents.includes(percent)));
    expect(percents.at(-1)).toBe('100');
  });

  it('is reached when a request is refused because of it, unless less than 80 % is spent', async () => {
    const owner = await cappedKey(10n);
    await spend(owner, 7n);
    await refuse(owner);
    expect(await eventsOf(owner)).toEqual(['cap.low: ci 7 of 10']);
    await spend(owner, 1n);
    await refuse(owner, 'insufficient_balance');
    await Promise.all([refuse(owner), refuse(owner), refuse(owner)]);
    expect(await eventsOf(owner)).toEqual(['cap.low: ci 7 of 10', 'cap.low: ci 8 of 10', 'cap.reached: ci 8 of 10']);
  });

  it('starts again with a new limit, without what is spent already', async () => {
    const owner = await cappedKey(10n);
    await spend(owner, 10n);
    await setLimit(owner, 12n, 2n);
    await spend(owner, 1n);
    expect(await eventsOf(owner)).toEqual(['cap.reached: ci 10 of 10', 'cap.low: ci 11 of 12']);
    await refuse(owner);
    expect((await eventsOf(owner)).at(-1)).toBe('cap.reached: ci 11 of 12');
    await setLimit(owner, 20n, 3n);
    await spend(owner, 1n);
    expect((await eventsOf(owner)).at(-1)).toBe('cap.reached: ci 11 of 12');
    await spend(owner, 3n);
    expect((await eventsOf(owner)).at(-1)).toBe('cap.low: ci 15 of 20');
  });

  it('of a project is reported with its name, also when it refuses requests of several keys', async () => {
    const owner = await cappedKey(1_000n);
    const nodeId = newId();
    await setLimit({ ...owner, keyId: nodeId }, 10n, 1n);
    const nodes = [{ nodeId, caps: [CapPeriod.TOTAL], name: 'search', scope: 'project' }];
    for (const keyId of [owner.keyId, newId()]) await settleAbove({ ...owner, keyId }, nodes, 4n);
    await Promise.all([
      refuse(owner, 'cap_exceeded', nodes),
      refuse({ ...owner, keyId: newId() }, 'cap_exceeded', nodes),
    ]);
    await settleAbove(owner, nodes, 1n);
    const events = await listEvents(ledger.pool, owner.accountId, undefined, 100);
    const named = { scope: 'project', node_id: nodeId, node_name: 'search', period: 'total', limit: '10', spent: '8' };
    expect(events.map(({ type }) => type)).toEqual(['cap.reached', 'cap.low']);
    for (const { dataJson } of events) {
      const { percent, ...data } = JSON.parse(dataJson);
      expect(data).toEqual({ account_id: owner.accountId, ...named, currency: 'USD' });
    }
  });

  it('of nothing is no alert', async () => {
    const owner = await cappedKey(0n);
    await refuse(owner);
    expect(await eventsOf(owner)).toEqual([]);
  });
});
