import { brokenInvariants } from '@tollgate/ledger/testing/check-invariants';
import type { CrossingOutcome } from '@tollgate/payments/store/crossings';
import { type Random, seeded } from '@tollgate/test-support/random/random';
import { chooseSeed } from '@tollgate/test-support/random/seed';
import { expect, it } from 'vitest';
import { disturb } from './support/payments/chaos.ts';
import { type Expected, expectedOf } from './support/payments/expected.ts';
import { explain } from './support/payments/explain.ts';
import { History } from './support/payments/history.ts';
import { brokenTopUps } from './support/payments/top-up-books.ts';
import { World } from './support/payments/world.ts';

const LONG = process.env['LONG'] === '1';
const SEED = chooseSeed(process.env, Date.now());
/** Histories of one world, and how many are told at once. */
const HISTORIES = LONG ? 200 : 32;
const AT_ONCE = LONG ? 48 : 8;
const ROUNDS = LONG ? 50 : 1;
/** For a shorter long run. */
const MINUTES = Number(process.env['MINUTES'] ?? '600');
const STEPS = 12;
/** One in so many steps is disturbed; of these, one in so many by a killed process, and of the others by time. */
const DISTURB_ONE_IN = 3;
const DISTURBANCES = { killOneIn: LONG ? 16 : 12, passOneIn: (AT_ONCE * 3) / 4 };
const PASSES = 40;
const HOUR_MS = 3_600_000;
/** What even few histories have. */
const USUAL = ['kills', 'top-ups', 'paid', 'refunds', 'disputes'];

interface Books extends Expected {
  accountId: string;
}

/** Tells histories, some at once, while things go wrong. */
async function tell(world: World, random: Random, histories: readonly History[]): Promise<void> {
  const waiting = [...histories];
  let disturbing = Promise.resolve();
  const one = async () => {
    for (let history = waiting.shift(); history !== undefined; history = waiting.shift()) {
      for (let step = 0; step < STEPS; step += 1) {
        if (random.below(DISTURB_ONE_IN) === 0) {
          disturbing = disturbing.then(() => disturb(world, random, DISTURBANCES));
          if (random.below(2) === 0) await disturbing;
        }
        await history.step();
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  await disturbing;
  await world.recovered();
}

/** Everything works again, and days pass, until the books agree or the reconciler has had more than enough passes. */
async function settle(world: World, histories: readonly History[]): Promise<void> {
  world.control.clearFaults();
  world.control.resumeWebhooks();
  // Held money whose capture was lost would stay so.
  for (const { id, status } of world.control.objects().payment_intents) {
    if (status === 'requires_capture') world.control.capture(id);
  }
  for (let pass = 0; pass < PASSES; pass += 1) {
    world.pass(pass < 5 ? HOUR_MS : 12 * HOUR_MS);
    await Promise.all([world.reconcile(), world.topUp()]).catch((error: unknown) => {
      if (pass === PASSES - 1) throw error;
    });
    if (
      pass > 5 &&
      (await waitsFor(world)).length === 0 &&
      same(await found(world, histories), wanted(world, histories))
    )
      return;
  }
}

/** What payments still waits for. */
async function waitsFor(world: World): Promise<string[]> {
  const { rows } = await world.pool.query<{ row: string }>(
    `
    SELECT p::text AS row FROM payments.payments p WHERE state = 'pending'
    UNION ALL SELECT r::text FROM payments.refunds r WHERE state = 'open'
    UNION ALL SELECT m::text FROM payments.movements m WHERE booked_at_ms IS NULL
    UNION ALL SELECT c::text FROM payments.crossings c WHERE state = 'open'
    UNION ALL SELECT t::text FROM payments.top_ups t JOIN ledger.balances b USING (account_id)
      WHERE (t.pause_reason IS NULL OR t.paused_until_ms <= $1) AND b.available + b.leased <= t.threshold_nanos
        AND b.receivable = 0`,
    [world.now()],
  );
  return rows.map(({ row }) => row);
}

const same = (one: readonly Books[], other: readonly Books[]) => JSON.stringify(one) === JSON.stringify(other);
const sorted = (deposits: Record<string, number>) =>
  Object.fromEntries(Object.entries(deposits).sort(([one], [other]) => one.localeCompare(other)));

function wanted(world: World, histories: readonly History[]): Books[] {
  const expected = expectedOf(world.control.objects());
  return histories.map(({ account: { id, spentCents } }) => {
    const { deposits, leftCents, isDisputed } = expected.get(id) ?? { deposits: {}, leftCents: 0, isDisputed: false };
    return { accountId: id, deposits: sorted(deposits), leftCents: leftCents - spentCents, isDisputed };
  });
}

async function found({ pool }: World, histories: readonly History[]): Promise<Books[]> {
  const { rows } = await pool.query<{ id: string; key: string; kind: string; cents: number }>(
    'SELECT account_id AS id, idempotency_key AS key, kind, (amount_nanos / 10000000)::int AS cents FROM ledger.deposits',
  );
  const { rows: balances } = await pool.query<{ id: string; cents: number }>(
    'SELECT account_id AS id, ((available + leased + receivable) / 10000000)::int AS cents FROM ledger.balances',
  );
  const { rows: disputed } = await pool.query<{ id: string }>(
    'SELECT account_id AS id FROM payments.payments GROUP BY account_id HAVING bool_or(has_open_dispute)',
  );
  return histories.map(({ account: { id: accountId } }) => {
    const own = rows.filter(({ id }) => id === accountId);
    const deposits = own.filter(({ kind, key }) => kind === 'deposit' && !key.endsWith(':won'));
    const leftCents = balances.find(({ id }) => id === accountId)?.cents ?? 0;
    return {
      accountId,
      deposits: sorted(Object.fromEntries(deposits.map(({ key, cents }) => [key, cents]))),
      leftCents,
      isDisputed: disputed.some(({ id }) => id === accountId),
    };
  });
}

/** How often there was what the histories are about. */
async function tallyOf({ control, pool, kills }: World): Promise<Record<string, number>> {
  const { payment_intents, refunds, disputes } = control.objects();
  const { rows } = await pool.query<{ outcome: CrossingOutcome }>('SELECT outcome FROM payments.crossings');
  const ended = (sought: CrossingOutcome) => rows.filter(({ outcome }) => outcome === sought).length;
  return {
    kills,
    'top-ups': ended('settled'),
    'declined top-ups': ended('declined'),
    'top-ups to confirm': ended('confirmation'),
    'top-ups without card': ended('refused'),
    paid: payment_intents.filter(({ amount_received }) => amount_received > 0).length,
    refunds: refunds.length,
    'failed refunds': refunds.filter(({ status }) => status === 'failed').length,
    disputes: disputes.length,
    'won disputes': disputes.filter(({ status }) => status === 'won').length,
  };
}

it(
  'whatever happens to payments, events and processes, each payment is one deposit, and the balance is what is left of it',
  async () => {
    const begunAt = performance.now();
    let told = 0;
    let kills = 0;
    for (let round = 0; round < ROUNDS && performance.now() - begunAt < MINUTES * 60_000; round += 1) {
      const seed = SEED + round;
      const finding = `SEED=${seed}`;
      const random = seeded(seed);
      const world = await World.start();
      try {
        const histories = Array.from({ length: HISTORIES }, () => new History(world, random));
        await tell(world, random, histories);
        await settle(world, histories);
        const books = await found(world, histories);
        const due = wanted(world, histories);
        const differing = books.filter((each, index) => !same([each], due.slice(index, index + 1)));
        const accountIds = differing.map(({ accountId }) => accountId);
        if (accountIds.length > 0) process.stdout.write(await explain(world, accountIds));
        expect(books, finding).toEqual(due);
        expect(await waitsFor(world), finding).toEqual([]);
        expect(await brokenTopUps(world), finding).toEqual([]);
        expect(world.findings, finding).toEqual([]);
        expect(await brokenInvariants(world.pool), finding).toEqual([]);
        const tally = Object.entries(await tallyOf(world));
        process.stdout.write(`SEED=${seed}: ${tally.map(([what, count]) => `${count} ${what}`).join(', ')}\n`);
        for (const [what, count] of tally) {
          if (LONG || USUAL.includes(what)) expect(count, `${what}, ${finding}`).toBeGreaterThan(0);
        }
        kills += world.kills;
      } finally {
        await world.stop();
      }
      told += HISTORIES;
      process.stdout.write(`${told} histories of payments, ${kills} kills, from seed ${SEED}\n`);
    }
  },
  LONG ? 6 * HOUR_MS : 300_000,
);
