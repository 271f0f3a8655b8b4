import { idFloor, newId } from '@tollgate/common/ids';
import { type HeldNode, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { leasedKey, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';
import { type IntervalName, readUsage, type UsageFilter, type UsageQuery } from '../store/usage.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const leased = () => leasedKey(ledger.pool, 10_000n);

const node = (nodeId: string, scope: string): HeldNode => ({ nodeId, scope, name: scope, caps: [] });

/** The path of a key that a member owns in a project, below other keys. */
function path(projectId: string, ownerId?: string, ...keyIds: string[]): HeldNode[] {
  const owner = ownerId === undefined ? [] : [node(ownerId, 'member')];
  return [node(projectId, 'project'), ...owner, ...keyIds.map((keyId) => node(keyId, 'key'))];
}

/** The start of the last hour that is over. */
const HOUR = Date.now() - (Date.now() % HOUR_MS) - HOUR_MS;

function chargeAt(timeMs: number, fields: Parameters<typeof buildCharge>[0], cost: bigint) {
  const requestId = `${idFloor(timeMs).slice(0, 13)}-7${newId().slice(15)}`;
  return buildCharge({ ...fields, requestId, startedAtMs: BigInt(timeMs) }, cost);
}

async function post(...charges: ReturnType<typeof buildCharge>[]): Promise<void> {
  expect(await settle(ledger.pool, ...charges)).toEqual(charges.map(() => SettleOutcome.POSTED));
}

const RANGE = { startMs: HOUR - 40 * DAY_MS, endMs: HOUR + 2 * HOUR_MS };

/** Sums of the last 40 days by group: requests and what they cost. */
async function sums(
  accountId: string,
  groups: Partial<Pick<UsageQuery, 'byProject' | 'byOwner' | 'byKey' | 'byModel'>>,
  filter: UsageFilter = {},
  interval: IntervalName = 'hour',
): Promise<Record<string, [requests: number, charged: number]>> {
  const all = { byModel: false, byKey: false, totals: true, limit: 100 };
  const rows = await readUsage(ledger.pool, { ...all, ...groups, accountId, range: RANGE, interval, filter });
  return Object.fromEntries(
    rows.map((row) => [
      [row.project_id, row.owner_id, row.key_id].filter((id) => id !== '').join('/'),
      [Number(row.requests), Number(row.charged_nanos)],
    ]),
  );
}

describe.each(['hour', 'day'] as const)('usage by the %s', (interval) => {
  it('is of the project and owner in which it happened, however a key moves', async () => {
    const owner = await leased();
    const [here, there, ana, bo] = [newId(), newId(), newId(), newId()];
    await post(chargeAt(HOUR, { ...owner, nodes: path(here, ana) }, 10n));
    await post(
      chargeAt(HOUR, { ...owner, nodes: path(here, ana) }, 20n),
      chargeAt(HOUR, { ...owner, nodes: path(there, bo) }, 1n),
      chargeAt(HOUR + HOUR_MS, { ...owner, nodes: path(there, bo) }, 2n),
    );
    await post(chargeAt(HOUR, { ...owner, nodes: path(there) }, 4n));
    await post(chargeAt(HOUR, { ...owner, nodes: path(here, ana) }, 40n));
    const { accountId, keyId } = owner;
    expect(await sums(accountId, { byProject: true }, {}, interval)).toEqual({ [here]: [3, 70], [there]: [3, 7] });
    expect(await sums(accountId, { byOwner: true }, {}, interval)).toEqual({
      [ana]: [3, 70],
      [bo]: [2, 3],
      '': [1, 4],
    });
    expect(await sums(accountId, { byProject: true, byOwner: true }, { projectIds: [there] }, interval)).toEqual({
      [`${there}/${bo}`]: [2, 3],
      [there]: [1, 4],
    });
    expect(await sums(accountId, {}, { projectIds: [there], ownerIds: [bo] }, interval)).toEqual({ '': [2, 3] });
    expect(await sums(accountId, { byKey: true }, { ownerIds: [ana] }, interval)).toEqual({ [keyId]: [3, 70] });
    // What does not ask for a place is untouched by moves.
    expect(await sums(accountId, { byKey: true }, {}, interval)).toEqual({ [keyId]: [6, 77] });
  });

  it('is of the project default without an owner where charges name none, and of where the key is if some do', async () => {
    const [unnamed, mixed] = [await leased(), await leased()];
    const [project, ana] = [newId(), newId()];
    await post(chargeAt(HOUR, unnamed, 3n));
    const { accountId } = unnamed;
    expect(await sums(accountId, { byProject: true, byOwner: true }, {}, interval)).toEqual({ [accountId]: [1, 3] });
    expect(await sums(accountId, {}, { projectIds: [accountId] }, interval)).toEqual({ '': [1, 3] });
    await post(chargeAt(HOUR, mixed, 3n));
    await post(chargeAt(HOUR, { ...mixed, nodes: path(project, ana) }, 4n), chargeAt(HOUR, mixed, 5n));
    expect(await sums(mixed.accountId, { byProject: true, byOwner: true }, {}, interval)).toEqual({
      [`${project}/${ana}`]: [3, 12],
    });
  });

  it('is of a key with what is below it', async () => {
    const child = await leased();
    const [project, ana, root, middle, other] = [newId(), newId(), newId(), newId(), newId()];
    await post(
      chargeAt(HOUR, { ...child, keyId: root, nodes: path(project, ana) }, 1n),
      chargeAt(HOUR, { ...child, keyId: middle, nodes: path(project, ana, root) }, 2n),
      chargeAt(HOUR, { ...child, nodes: path(project, ana, root, middle) }, 4n),
      chargeAt(HOUR, { ...child, keyId: other, nodes: path(project, ana) }, 8n),
    );
    const { accountId, keyId } = child;
    const filter = { keysAndBelow: [root] };
    expect(await sums(accountId, { byKey: true }, filter, interval)).toEqual({
      [root]: [1, 1],
      [middle]: [1, 2],
      [keyId]: [1, 4],
    });
    expect(await sums(accountId, { byProject: true }, filter, interval)).toEqual({ [project]: [3, 7] });
  });
});
