import { expect, it } from 'vitest';
import { type Books, type Charge, type Crossing, type Entry, judgeTopUps } from './judge-top-ups.ts';

const SECOND_MS = 1_000;

/** An account that paid in 20 dollars and was topped up twice from 1 to 25 dollars. */
function sound(): Books & { crossings: Crossing[]; charges: Charge[]; entries: Entry[] } {
  const crossing = (number: bigint): Crossing => ({
    account: 'a',
    number,
    payment: `p${number}`,
    outcome: 'settled',
    balanceCents: 100,
    amountCents: 2_400,
    month: '2026-11',
  });
  const charge = (number: number): Charge => ({
    id: `pi_${number}`,
    payment: `p${number}`,
    cents: 2_400,
    isPaid: true,
  });
  const cents = { 'stripe:pi_0': 2_000, spent1: -1_900, 'stripe:pi_1': 2_400, spent2: -2_400, 'stripe:pi_2': 2_400 };
  const entries = Object.entries(cents).map(([key, each], at) => ({
    account: 'a',
    key,
    cents: each,
    atMs: at * SECOND_MS,
  }));
  return {
    crossings: [crossing(1n), crossing(2n)],
    charges: [charge(1), charge(2)],
    entries,
    monthlyMaxCents: new Map([['a', 5_000]]),
  };
}

/** The sound books with other fields of the second crossing, its charge and its spending. */
function changed({ crossing, charge, entry }: { crossing?: object; charge?: object; entry?: object }): Books {
  const books = sound();
  Object.assign(books.crossings[1] ?? {}, crossing);
  Object.assign(books.charges[1] ?? {}, charge);
  Object.assign(books.entries[3] ?? {}, entry);
  return books;
}

it('nothing is wrong with sound books', () => {
  expect(judgeTopUps(sound())).toEqual([]);
});

it('movements at once may be in another order', () => {
  expect(judgeTopUps(changed({ entry: { atMs: 2 * SECOND_MS - 50 } }))).toEqual([]);
});

const SECOND = 'crossing 2 of a';

it.each<[string, Books, string]>([
  [
    'two charges',
    { ...sound(), charges: [...sound().charges, { ...sound().charges[1], id: 'pi_3' } as Charge] },
    `${SECOND} is charged more than once`,
  ],
  ['another amount', changed({ charge: { cents: 2_300 } }), `${SECOND} is charged 2300 cents`],
  [
    'a charge without a crossing',
    changed({ charge: { payment: 'p9' }, crossing: { outcome: 'unanswered' } }),
    'payment p9 is charged without a crossing',
  ],
  [
    'a charge of a crossing that ended without',
    changed({ crossing: { outcome: 'unanswered' } }),
    `${SECOND} ended as unanswered`,
  ],
  [
    'a crossing that settled without a charge',
    { ...sound(), charges: sound().charges.slice(0, 1) },
    `${SECOND} ended as settled`,
  ],
  [
    'more than the maximum',
    { ...sound(), monthlyMaxCents: new Map([['a', 4_799]]) },
    'a 2026-11: 4800 cents are charged of at most 4799',
  ],
  [
    'a balance from before the last credit',
    changed({ entry: { cents: -1_400 } }),
    `${SECOND} was decided without the credit of the charge before`,
  ],
])('%s is found', (_what, books, finding) => {
  expect(judgeTopUps(books)).toContain(finding);
});
