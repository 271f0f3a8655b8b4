import { idFloor, newId } from '@tollgate/common/ids';
import { type Charge, ChargeStatus, type HeldNode } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { type ChargeFilter, searchCharges } from './search-charges.ts';
import { HOUR_MS } from './time.ts';

let ledger: LedgerFixture;
let owner: { accountId: string; sessionId: string };
let start: number;
let charges: Charge[];
const KEYS = [newId(), newId(), newId()];
const [EARLY, LATE, ANA] = [newId(), newId(), newId()];
/** Above some of the charges, which are of keys derived from it. */
const ROOT = newId();

/** The first ones name no nodes. The key moves to and fro, also within an hour, and is derived now and then. */
function nodesAt(index: number): HeldNode[] {
  if (index < 60) return [];
  const nodes = [{ nodeId: index < 200 && index % 7 !== 0 ? EARLY : LATE, scope: 'project', name: 'p', caps: [] }];
  if (index % 50 === 9) nodes.push({ nodeId: ANA, scope: 'member', name: 'ana', caps: [] });
  if (index % 90 === 5) nodes.push({ nodeId: ROOT, scope: 'key', name: 'root', caps: [] });
  return nodes;
}

const hasNode = (nodeId: string) => (charge: Charge) => charge.nodes.some((node) => node.nodeId === nodeId);

/** 300 charges over 60 hours: each key, model, tag and session in some of them. */
beforeAll(async () => {
  ledger = await createLedger();
  const accountId = await fundedAccount(ledger.pool, 100_000n);
  owner = { accountId, sessionId: await leasingSession(ledger.pool, accountId, 50_000n) };
  start = Date.now() - (Date.now() % HOUR_MS) - 61 * HOUR_MS;
  charges = Array.from({ length: 300 }, (_, index) => {
    const time = start + index * (HOUR_MS / 5);
    return buildCharge({
      ...owner,
      requestId: `${idFloor(time).slice(0, 13)}-7${newId().slice(15)}`,
      startedAtMs: BigInt(time + (index % 2 === 0 ? 9_000 : -9_000)),
      keyId: index % 100 === 7 ? (KEYS[1] ?? '') : index % 90 === 5 ? (KEYS[2] ?? '') : (KEYS[0] ?? ''),
      nodes: nodesAt(index),
      model: index === 50 ? 'rare' : 'common',
      status: index % 60 === 3 ? ChargeStatus.FAILED : ChargeStatus.COMPLETED,
      tags: index % 70 === 0 ? { team: 'search' } : {},
      clientSessionId: index % 40 === 1 ? 'session' : '',
    });
  });
  await settle(ledger.pool, ...charges);
});
afterAll(() => ledger.drop());

const FILTERS: readonly [string, ChargeFilter, (charge: Charge) => boolean][] = [
  ['nothing', {}, () => true],
  ['a key', { keyIds: [KEYS[1] ?? ''] }, (charge) => charge.keyId === KEYS[1]],
  ['keys', { keyIds: KEYS.slice(1) }, (charge) => charge.keyId !== KEYS[0]],
  [
    'a key and keys below it',
    { keysAndBelow: [ROOT, KEYS[1] ?? ''] },
    (charge) => hasNode(ROOT)(charge) || charge.keyId === KEYS[1],
  ],
  ['a project', { projectIds: [EARLY] }, hasNode(EARLY)],
  ['another project', { projectIds: [LATE] }, hasNode(LATE)],
  ['an owner', { ownerIds: [ANA] }, hasNode(ANA)],
  [
    'an owner in a project',
    { ownerIds: [ANA], projectIds: [LATE] },
    (charge) => hasNode(ANA)(charge) && hasNode(LATE)(charge),
  ],
  ['an unknown project', { projectIds: [newId()] }, () => false],
  ['a rare model', { model: 'rare' }, (charge) => charge.model === 'rare'],
  ['a model of a key', { model: 'rare', keyIds: [KEYS[1] ?? ''] }, () => false],
  ['a status', { status: 'failed' }, (charge) => charge.status === ChargeStatus.FAILED],
  ['a tag', { tag: { name: 'team', value: 'search' } }, (charge) => charge.tags['team'] === 'search'],
  ['another value of a tag', { tag: { name: 'team', value: 'other' } }, () => false],
  ['a session', { clientSessionId: 'session' }, (charge) => charge.clientSessionId === 'session'],
  [
    'a session and a status',
    { clientSessionId: 'session', status: 'completed' },
    (charge) => charge.clientSessionId === 'session' && charge.status === ChargeStatus.COMPLETED,
  ],
];

/** All pages of a search. */
async function searched(filter: ChargeFilter, options: { indexed: boolean; now?: () => number; limit?: number }) {
  const range = { startMs: start + HOUR_MS, endMs: start + 59 * HOUR_MS };
  const found: string[] = [];
  let pages = 0;
  for (let before: string | undefined; ; pages += 1) {
    const search = { accountId: owner.accountId, range, filter, before, limit: options.limit ?? 7 };
    const page = await searchCharges(ledger.pool, { ...search, indexed: options.indexed }, options.now);
    found.push(...page.charges.map((charge) => charge.requestId));
    if (page.next === undefined) return { found, pages: pages + 1 };
    before = page.next;
  }
}

function expected(matches: (charge: Charge) => boolean): string[] {
  const from = BigInt(start + HOUR_MS);
  const to = BigInt(start + 59 * HOUR_MS);
  return charges
    .filter((charge) => charge.startedAtMs >= from && charge.startedAtMs < to && matches(charge))
    .map((charge) => charge.requestId)
    .toSorted()
    .toReversed();
}

describe.each([true, false])('a search with late indexes: %s', (indexed) => {
  it.each(FILTERS)('finds exactly the charges of %s', async (_, filter, matches) => {
    expect((await searched(filter, { indexed })).found).toEqual(expected(matches));
  });

  it.each(FILTERS)('finds the same when each step takes all of its time: %s', async (_, filter, matches) => {
    let time = 0;
    const now = () => (time += 1_000);
    expect((await searched(filter, { indexed, now })).found).toEqual(expected(matches));
  });
});

it('passes over hours in which a key was not used, and continues a search whose time was over', async () => {
  let time = 0;
  const now = () => (time += 1_000);
  const { pages } = await searched({ keyIds: [KEYS[1] ?? ''] }, { indexed: true, now, limit: 100 });
  // Three charges in as many hours, and at most two more steps each for the edges of an hour.
  expect(pages).toBeLessThan(12);
});

it('sees nothing without keys', async () => {
  expect(await searched({ keyIds: [] }, { indexed: true })).toEqual({ found: [], pages: 1 });
});

it.each([true, false])('finds what names no nodes in the project default, with late indexes: %s', async (indexed) => {
  const { found } = await searched({ projectIds: [owner.accountId] }, { indexed });
  expect(found).toEqual(expected(({ nodes }) => nodes.length === 0));
  expect(found.length).toBeGreaterThan(20);
});

it.each([
  ['a key and what is below it', { keysAndBelow: [ROOT] }],
  ['an owner', { ownerIds: [ANA] }],
])('reads only the hours of %s', async (_, filter) => {
  let time = 0;
  const { pages, found } = await searched(filter, { indexed: true, now: () => (time += 1_000), limit: 100 });
  expect(pages).toBeLessThan(3 * found.length + 3);
});
