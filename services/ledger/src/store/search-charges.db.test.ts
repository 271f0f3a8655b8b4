import { idFloor, newId } from '@tollgate/common/ids';
import { type Charge, ChargeStatus } from '@tollgate/proto/ledger';
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

/** 300 charges over 60 hours: each key, model, tag and session in some of them. */
beforeAll(async () => {
  ledger = await createLedger();
  const accountId = await fundedAccount(ledger.pool, 100_000n);
  owner = { accountId, sessionId: await leasingSession(ledger.pool, accountId, 50_000n) };
  start = Date.now() - 61 * HOUR_MS;
  charges = Array.from({ length: 300 }, (_, index) => {
    const time = start + index * (HOUR_MS / 5);
    return buildCharge({
      ...owner,
      requestId: `${idFloor(time).slice(0, 13)}-7${newId().slice(15)}`,
      startedAtMs: BigInt(time + (index % 2 === 0 ? 9_000 : -9_000)),
      keyId: index % 100 === 7 ? (KEYS[1] ?? '') : (KEYS[0] ?? ''),
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
  ['keys', { keyIds: KEYS.slice(1) }, (charge) => charge.keyId === KEYS[1]],
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
