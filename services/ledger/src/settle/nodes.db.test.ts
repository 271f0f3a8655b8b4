import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import { idFloor, newId } from '@tollgate/common/ids';
import { CapPeriod, type HeldNode, SettleOutcome } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquireCap, type LeasedKey, leasedKey, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { findCharge } from '../store/charges.ts';
import { DAY_MS } from '../store/time.ts';

const { POSTED, DUPLICATE, QUARANTINED } = SettleOutcome;

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const leased = () => leasedKey(ledger.pool, 10_000n);

function node(nodeId: string, caps: CapPeriod[] = [], scope = 'project'): HeldNode {
  return { nodeId, caps, name: 'search', scope };
}

/** Leases a part of a node's cap of 1,000 of today. */
async function capped({ accountId, sessionId }: LeasedKey, nodeId: string, period: CapPeriodLabel): Promise<void> {
  const cap = { accountId, nodeId, period, startMs: periodStart(period, Date.now()) };
  const demand = { grantedTotalNeeded: 900n, sequence: 1n, limitNanos: 1_000n, revision: 1n };
  expect((await acquireCap(ledger.pool, sessionId, cap, demand)).refused).toBe(false);
}

/** What is spent and leased of the caps of a node, by period. */
async function capsOf(
  { accountId }: LeasedKey,
  nodeId: string,
): Promise<Record<string, [spent: bigint, leased: bigint]>> {
  const { rows } = await ledger.pool.query<{ period: string; spent: bigint; leased: bigint }>(
    'SELECT period, spent, leased FROM ledger.ceilings WHERE account_id = $1 AND node_id = $2',
    [accountId, nodeId],
  );
  return Object.fromEntries(rows.map(({ period, spent, leased }) => [period, [spent, leased]]));
}

/** A charge of a request that started then. */
function chargeAt(startedAtMs: number, fields: Parameters<typeof buildCharge>[0], cost: bigint) {
  const requestId = `${idFloor(startedAtMs).slice(0, 13)}-7000-8000-${newId().slice(24)}`;
  return buildCharge({ ...fields, requestId, startedAtMs: BigInt(startedAtMs) }, cost);
}

describe('a charge below a project and an owner', () => {
  it('counts once towards each cap of its path, and is taken from the leases of those it was held under', async () => {
    const owner = await leased();
    const [project, member, other] = [newId(), newId(), newId()];
    for (const nodeId of [project, member, other, owner.keyId]) await capped(owner, nodeId, 'day');
    await capped(owner, project, 'total');
    const nodes = [node(project, [CapPeriod.DAY]), node(member, [CapPeriod.DAY], 'member')];
    const charge = buildCharge({ ...owner, caps: [CapPeriod.DAY], nodes }, 40n);
    expect(await settle(ledger.pool, charge)).toEqual([POSTED]);
    expect(await settle(ledger.pool, charge, { ...charge, nodes: [node(other)] })).toEqual([DUPLICATE, DUPLICATE]);
    expect(await capsOf(owner, project)).toEqual({ day: [40n, 860n], total: [40n, 900n] });
    expect(await capsOf(owner, member)).toEqual({ day: [40n, 860n] });
    expect(await capsOf(owner, owner.keyId)).toEqual({ day: [40n, 860n] });
    expect(await capsOf(owner, other)).toEqual({ day: [0n, 900n] });
    const { accountId } = owner;
    const found = await findCharge(ledger.pool, accountId, { by: 'request_id', id: charge.requestId });
    expect(found?.nodes.map(({ nodeId }) => nodeId)).toEqual([project, member]);
  });

  it('counts for another project once its key has moved there', async () => {
    const owner = await leased();
    const [before, after] = [newId(), newId()];
    await settle(ledger.pool, buildCharge({ ...owner, nodes: [node(before)] }, 30n));
    await settle(ledger.pool, buildCharge({ ...owner, nodes: [node(after)] }, 5n));
    for (const nodeId of [before, after, owner.keyId]) await capped(owner, nodeId, 'month');
    expect(await capsOf(owner, before)).toMatchObject({ month: [30n, 900n] });
    expect(await capsOf(owner, after)).toMatchObject({ month: [5n, 900n] });
    expect(await capsOf(owner, owner.keyId)).toMatchObject({ month: [35n, 900n] });
  });

  it('below a key counts for that key too, which spends itself: each once, whenever the cap is made', async () => {
    const child = await leased();
    const parent = { ...child, keyId: newId() };
    const { keyId } = parent;
    const path = [node(newId()), node(keyId, [], 'key')];
    await settle(
      ledger.pool,
      buildCharge({ ...parent, nodes: path.slice(0, 1) }, 30n),
      buildCharge({ ...child, nodes: path }, 5n),
    );
    await capped(parent, keyId, 'month');
    await capped(parent, keyId, 'total');
    const seeded: [bigint, bigint] = [35n, 900n];
    expect(await capsOf(parent, keyId)).toEqual({ month: seeded, total: seeded });
    await settle(
      ledger.pool,
      buildCharge({ ...parent, nodes: path.slice(0, 1), caps: [CapPeriod.MONTH] }, 2n),
      buildCharge({ ...child, nodes: [...path.slice(0, 1), node(keyId, [CapPeriod.MONTH], 'key')] }, 1n),
    );
    expect(await capsOf(parent, keyId)).toEqual({ month: [38n, 897n], total: [38n, 900n] });
    await capped(child, child.keyId, 'day');
    expect(await capsOf(child, child.keyId)).toEqual({ day: [6n, 900n] });
  });

  it('counts what the customer pays', async () => {
    const owner = await leased();
    const project = newId();
    await settle(ledger.pool, buildCharge({ ...owner, nodes: [node(project)], holdNanos: 15n }, 40n));
    await settle(ledger.pool, buildCharge({ ...owner, nodes: [node(project)], sessionId: newId() }, 40n));
    await capped(owner, project, 'total');
    expect(await capsOf(owner, project)).toEqual({ total: [15n, 900n] });
  });

  it('has ids in any case', async () => {
    const owner = await leased();
    const project = newId();
    await capped(owner, project, 'total');
    expect(await settle(ledger.pool, buildCharge({ ...owner, nodes: [node(project.toUpperCase())] }, 7n))).toEqual([
      POSTED,
    ]);
    expect(await capsOf(owner, project)).toEqual({ total: [7n, 900n] });
  });

  const repeated = newId();
  it.each([
    ['nodes[0].node_id is not a UUID', () => [node('x')]],
    ['nodes[1].node_id was named before', () => [node(repeated), node(repeated)]],
    ['nodes[0].node_id is key_id', ({ keyId }: LeasedKey) => [node(keyId)]],
    ['there are more than 8 nodes', () => Array.from({ length: 9 }, () => node(newId()))],
    ['nodes[0].caps[0] is not known', () => [node(newId(), [CapPeriod.UNSPECIFIED])]],
    ['nodes[0].caps[1] was named before', () => [node(newId(), [CapPeriod.DAY, CapPeriod.DAY])]],
    ['nodes[0].scope is not that of a node', () => [node(newId(), [], '')]],
    ['nodes[0].name holds a NUL character', () => [{ ...node(newId()), name: 'a\0' }]],
    ['nodes[0].name is longer than 1000 characters', () => [{ ...node(newId()), name: 'a'.repeat(1_001) }]],
  ])('is quarantined because %s', async (reason, nodesOf: (owner: LeasedKey) => HeldNode[]) => {
    const owner = await leased();
    expect(await settle(ledger.pool, buildCharge({ ...owner, nodes: nodesOf(owner) }))).toEqual([QUARANTINED]);
    const { rows } = await ledger.pool.query('SELECT reason FROM ledger.quarantine WHERE account_id = $1', [
      owner.accountId,
    ]);
    expect(rows).toEqual([{ reason }]);
  });

  it('counts in its periods whenever a cap is made, whatever the path', async () => {
    const paths = [[0], [0, 1], [2], [2, 1], []];
    const request = fc.record({
      path: fc.constantFrom(...paths),
      key: fc.nat(1),
      agoDays: fc.constantFrom(0, 0, 1, 6, 9, 40),
      cost: fc.bigInt({ min: 0n, max: 50n }),
      held: fc.boolean(),
      capping: fc.option(fc.record({ node: fc.nat(4), period: fc.constantFrom(...CAP_PERIODS) }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
        const owner = await leased();
        const ids = Array.from({ length: 5 }, newId);
        const id = (index: number) => ids[index] ?? '';
        const spent = new Map<string, bigint>();
        const made = new Set<string>();
        const count = (nodeId: string, startedAtMs: number, cost: bigint) => {
          for (const period of CAP_PERIODS) {
            if (periodStart(period, startedAtMs) !== periodStart(period, Date.now())) continue;
            spent.set(`${nodeId}/${period}`, (spent.get(`${nodeId}/${period}`) ?? 0n) + cost);
          }
        };
        for (const { path, key, agoDays, cost, held, capping } of requests) {
          if (capping !== undefined && !made.has(`${id(capping.node)}/${capping.period}`)) {
            await acquireCap(
              ledger.pool,
              owner.sessionId,
              {
                ...owner,
                nodeId: id(capping.node),
                period: capping.period,
                startMs: periodStart(capping.period, Date.now()),
              },
              { grantedTotalNeeded: 60n, sequence: 1n, limitNanos: 10_000n, revision: 1n },
            );
            made.add(`${id(capping.node)}/${capping.period}`);
          }
          const caps = held ? CAP_PERIODS.map((period) => CAP_PERIOD_OF_LABEL[period]) : [];
          const startedAtMs = Date.now() - agoDays * DAY_MS;
          const nodes = path.map((index) => node(id(index), caps));
          const keyId = id(3 + key);
          const outcomes = await settle(ledger.pool, chargeAt(startedAtMs, { ...owner, keyId, caps, nodes }, cost));
          if (agoDays === 40) {
            expect(outcomes).toEqual([QUARANTINED]);
            continue;
          }
          expect(outcomes).toEqual([POSTED]);
          for (const nodeId of [...path.map(id), keyId]) count(nodeId, startedAtMs, cost);
        }
        for (const nodeId of ids) {
          for (const [period, [total]] of Object.entries(await capsOf(owner, nodeId)))
            expect(total).toBe(spent.get(`${nodeId}/${period}`) ?? 0n);
        }
        expect(await brokenInvariants(ledger.pool)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});
