import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { AutomaticTopUpState, PauseReason } from '@tollgate/proto/payments';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DOLLAR, startTopUps, type TopUpFixture } from '../../testing/top-up-fixture.ts';
import { createTopUpJobs } from './jobs.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const INTENTS = { method: 'POST', path: '/v1/payment_intents' };

let fixture: TopUpFixture;
beforeAll(async () => {
  fixture = await startTopUps();
});
afterAll(() => fixture.stop());
afterEach(() => {
  fixture.control.clearFaults();
  fixture.control.resumeWebhooks();
});

const paid = (...dollars: number[]) => dollars.map((each) => ({ amount: each * 100, status: 'succeeded' }));

describe('an automatic top-up', () => {
  it('charges the saved card once when the balance falls to the threshold, and again at the next fall', async () => {
    const account = await fixture.account();
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.ON, rule: { method: 'visa 4242' } });
    await account.fallTo(6n);
    await fixture.run();
    expect(account.charges()).toEqual([]);
    await account.fallTo(5n);
    await fixture.run();
    await fixture.run();
    expect(await account.balance()).toBe(25n * DOLLAR);
    expect(account.charges()).toEqual(paid(20));
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.balance()).toBe(25n * DOLLAR);
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.ON, monthNanos: 44n * DOLLAR });
    expect(await account.events()).toEqual([]);
    const keys = fixture.control.calls().filter(({ path }) => path === INTENTS.path);
    expect(JSON.stringify(keys.at(-1))).not.toContain('payment_method_types');
  });

  it('is off by default, and tops up a balance that is low when it is switched on', async () => {
    const account = await fixture.account();
    await account.off();
    await account.fallTo(0n);
    await fixture.run();
    expect(account.charges()).toEqual([]);
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.OFF, rule: undefined });
    await account.set();
    await fixture.run();
    expect(account.charges()).toEqual(paid(25));
  });

  it('that is switched off at the last moment charges nothing', async () => {
    const account = await fixture.account();
    await account.fallTo(0n);
    await fixture.payments.topUp.watch();
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.CHARGING });
    await account.off();
    await fixture.run();
    expect(account.charges()).toEqual([]);
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.OFF, monthNanos: 0n });
  });

  it('charges once with two replicas that look at once, again and again', async () => {
    const { deps } = fixture.payments;
    const replicas = [createTopUpJobs(deps), createTopUpJobs(deps), createTopUpJobs(deps)];
    const { signal } = new AbortController();
    const account = await fixture.account({ monthlyMaxNanos: 1_000n * DOLLAR });
    for (let round = 1; round <= 5; round += 1) {
      await account.fallTo(1n);
      for (let pass = 0; pass < 3; pass += 1) {
        await Promise.all(replicas.flatMap((each) => [each.watch(signal), each.charge(signal)]));
      }
      expect(account.charges()).toHaveLength(round);
      expect(await account.balance()).toBe(25n * DOLLAR);
    }
  });

  it('does not charge for a balance that was read before the last charge was credited', async () => {
    const { deps } = fixture.payments;
    const account = await fixture.account();
    await account.fallTo(1n);
    // This replica is slow: between what it read and what it decides, another one tops up.
    const slow = createTopUpJobs({
      ...deps,
      readBalances: async (ids) => {
        const balances = await deps.readBalances(ids);
        await fixture.run();
        return balances;
      },
    });
    await slow.watch(new AbortController().signal);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
  });
});

describe('a crash', () => {
  it('before the provider was asked: the charge is made later, or decided anew', async () => {
    const account = await fixture.account();
    await account.fallTo(1n);
    await fixture.payments.topUp.watch();
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
    await account.fallTo(1n);
    await fixture.payments.topUp.watch();
    fixture.pass(11 * MINUTE_MS);
    await account.fallTo(3n);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
    await fixture.run();
    expect(account.charges()).toEqual(paid(24, 22));
  });

  it.each(['lose_request', 'lose_response'] as const)('with a %s: one charge, of the same amount', async (kind) => {
    const account = await fixture.account();
    fixture.control.holdWebhooks();
    fixture.control.fail({ kind }, { ...INTENTS, times: 2 });
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.CHARGING, monthNanos: 24n * DOLLAR });
    await account.fallTo(0n);
    await fixture.run();
    fixture.pass(31_000);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
    expect(await account.balance()).toBe(24n * DOLLAR);
  });

  it('after the charge, with its event: the event books it, and nothing is charged again', async () => {
    const account = await fixture.account();
    fixture.control.fail({ kind: 'lose_response' }, { ...INTENTS, times: 2 });
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.balance()).toBe(25n * DOLLAR);
    await account.fallTo(2n);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
    fixture.pass(31_000);
    await fixture.run();
    await fixture.run();
    expect(account.charges()).toEqual(paid(24, 23));
  });

  it('after the charge, and the ledger does not answer: it is booked later', async () => {
    const account = await fixture.account();
    fixture.control.holdWebhooks();
    await account.fallTo(1n);
    await fixture.payments.topUp.watch();
    await fixture.payments.deps.pool.query(
      `CREATE FUNCTION ledger.fail_deposit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'down'; END $$`,
    );
    await fixture.payments.deps.pool.query(
      'CREATE TRIGGER down BEFORE INSERT ON ledger.deposits FOR EACH ROW EXECUTE FUNCTION ledger.fail_deposit()',
    );
    await fixture.payments.topUp.charge();
    expect(await account.balance()).toBe(1n * DOLLAR);
    await fixture.payments.deps.pool.query('DROP FUNCTION ledger.fail_deposit() CASCADE');
    fixture.pass(31_000);
    await fixture.run();
    expect(await account.balance()).toBe(25n * DOLLAR);
    expect(account.charges()).toEqual(paid(24));
  });

  it.each([2, 25, 24 * 30])('that lasts %i hours finds its charge, and does not ask anew', async (hours) => {
    const account = await fixture.account({ monthlyMaxNanos: 1_000n * DOLLAR });
    fixture.control.holdWebhooks();
    fixture.control.fail({ kind: 'lose_response' }, { ...INTENTS, times: 2 });
    await account.fallTo(1n);
    await fixture.run();
    fixture.pass(hours * HOUR_MS);
    await fixture.run();
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
    expect(await account.balance()).toBe(25n * DOLLAR);
  });

  it('that lasts long, without a charge at the provider: the crossing ends, and the next one charges', async () => {
    const account = await fixture.account({ monthlyMaxNanos: 1_000n * DOLLAR });
    fixture.control.fail({ kind: 'lose_request' }, { ...INTENTS, times: 2 });
    await account.fallTo(1n);
    await fixture.run();
    fixture.pass(25 * HOUR_MS);
    await fixture.run();
    expect(account.charges()).toEqual([]);
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.ON, monthNanos: 0n });
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
  });
});

describe('a declined card', () => {
  it('is charged again after an hour and a day, and then not before somebody resumes', async () => {
    const account = await fixture.account();
    fixture.control.setReaction(account.methodId, { decline: 'insufficient_funds' });
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.get()).toMatchObject({
      state: AutomaticTopUpState.PAUSED,
      pauseReason: PauseReason.RETRY,
      failure: 'insufficient_funds',
      monthNanos: 0n,
    });
    fixture.pass(59 * MINUTE_MS);
    await fixture.run();
    expect(account.charges()).toHaveLength(1);
    fixture.pass(2 * MINUTE_MS);
    await fixture.run();
    expect(account.charges()).toHaveLength(2);
    fixture.pass(DAY_MS);
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.DECLINED, resumesAtMs: 0n });
    fixture.pass(30 * DAY_MS);
    await fixture.run();
    expect(account.charges()).toHaveLength(3);
    expect((await account.events()).map(({ reason }) => reason)).toEqual(['retry', 'retry', 'declined']);
    fixture.control.setReaction(account.methodId, 'succeed');
    await account.resume();
    await fixture.run();
    expect(await account.balance()).toBe(25n * DOLLAR);
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.ON });
  });

  it('that works again begins anew with the next decline', async () => {
    const account = await fixture.account();
    fixture.control.setReaction(account.methodId, { decline: 'insufficient_funds' });
    await account.fallTo(1n);
    await fixture.run();
    fixture.control.setReaction(account.methodId, 'succeed');
    fixture.pass(HOUR_MS);
    await fixture.run();
    expect(await account.balance()).toBe(25n * DOLLAR);
    fixture.control.setReaction(account.methodId, { decline: 'insufficient_funds' });
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.RETRY });
    expect((await account.events()).map(({ reason }) => reason)).toEqual(['retry', 'retry']);
  });

  it.each([
    ['lost_card', undefined],
    ['do_not_honor', 'do_not_try_again'],
  ] as const)('for %s, advice %s, is not charged again', async (decline, advice) => {
    const account = await fixture.account();
    fixture.control.setReaction(account.methodId, { decline, advice });
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.DECLINED, failure: decline });
  });

  it('whose answer was lost is not charged twice', async () => {
    const account = await fixture.account();
    fixture.control.setReaction(account.methodId, { decline: 'insufficient_funds' });
    fixture.control.fail({ kind: 'lose_response' }, { ...INTENTS, times: 2 });
    await account.fallTo(1n);
    await fixture.run();
    fixture.pass(31_000);
    await fixture.run();
    expect(account.charges()).toHaveLength(1);
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.RETRY });
  });
});

describe('a card that needs 3-D Secure', () => {
  async function paused() {
    const account = await fixture.account();
    fixture.control.setReaction(account.methodId, 'authenticate');
    await account.fallTo(1n);
    await fixture.run();
    return account;
  }
  const confirm = (accountId: string, confirms: bigint, amountNanos = 24n * DOLLAR) =>
    fixture.payments.checkout(accountId, { amountNanos, confirms });

  it('pauses, and goes on once its holder has paid the same amount', async () => {
    const account = await paused();
    const { pauseReason, confirm: wanted } = await account.get();
    expect({ pauseReason, wanted }).toMatchObject({
      pauseReason: PauseReason.CONFIRMATION,
      wanted: { number: 1n, amountNanos: 24n * DOLLAR },
    });
    expect(await account.events()).toMatchObject([{ reason: 'confirmation', number: '1', amount: '24' }]);
    await expect(confirm(account.accountId, 1n, 20n * DOLLAR)).rejects.toThrow('amount_nanos: must be 24 USD');
    await expect(confirm(account.accountId, 2n)).rejects.toThrow('confirms: ');
    const payment = await confirm(account.accountId, 1n);
    expect(payment.automatic).toBe(true);
    await fixture.run();
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.PAUSED });
    const page = fixture.control
      .objects()
      .checkout_sessions.find((each) => each.client_reference_id === payment.paymentId);
    fixture.control.pay(page?.id ?? '');
    await fixture.control.delivered();
    await fixture.run();
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.ON, monthNanos: 24n * DOLLAR });
    expect(await account.balance()).toBe(25n * DOLLAR);
    expect(account.charges()).toHaveLength(1);
  });

  it('can be confirmed for a day, and resumed after that', async () => {
    const account = await paused();
    fixture.pass(DAY_MS);
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.CONFIRMATION, confirm: undefined });
    await expect(confirm(account.accountId, 1n)).rejects.toThrow('confirms: ');
    fixture.control.setReaction(account.methodId, 'succeed');
    await account.resume();
    await fixture.run();
    expect(await account.balance()).toBe(25n * DOLLAR);
  });
});

describe('the monthly maximum', () => {
  it('bounds a charge, pauses until the next UTC month, and is told once', async () => {
    const toMonthEnd = () => {
      const now = new Date(fixture.payments.deps.now());
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime();
    };
    fixture.pass(toMonthEnd() - 10 * MINUTE_MS);
    const account = await fixture.account({ monthlyMaxNanos: 34n * DOLLAR });
    await account.fallTo(1n);
    await fixture.run();
    await account.fallTo(1n);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24, 10));
    await account.fallTo(1n);
    await fixture.run();
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.MONTHLY_MAX });
    expect(await account.events()).toMatchObject([{ reason: 'monthly_max', monthly_max: '34' }]);
    fixture.pass(toMonthEnd() - MINUTE_MS);
    await fixture.run();
    expect(account.charges()).toHaveLength(2);
    fixture.pass(MINUTE_MS);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24, 10, 24));
    expect(await account.get()).toMatchObject({ state: AutomaticTopUpState.ON, monthNanos: 24n * DOLLAR });
  });
});

describe('an account', () => {
  it('whose card is removed is paused and told, and takes another card', async () => {
    const account = await fixture.account();
    await account.removeCard();
    await account.fallTo(1n);
    await fixture.run();
    expect(account.charges()).toEqual([]);
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.CARD_REMOVED });
    expect(await account.events()).toMatchObject([{ reason: 'card_removed' }]);
    await expect(account.resume()).rejects.toThrow('choose another one');
    await expect(account.set()).rejects.toThrow('method_id: ');
  });

  it('whose card was removed at the provider is paused', async () => {
    const account = await fixture.account();
    await fixture.payments.deps.provider.removeMethod(
      fixture.control.objects().payment_methods.find(({ id }) => id === account.methodId)?.customer as string,
      account.methodId,
    );
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.CARD_REMOVED });
  });

  it('with a dispute is never charged', async () => {
    const account = await fixture.account();
    const charge = fixture.control.objects().charges.find(({ payment_method }) => payment_method === account.methodId);
    const dispute = fixture.control.dispute(charge?.id ?? '');
    await fixture.control.delivered();
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.DISPUTE });
    await expect(account.resume()).rejects.toThrow('disputed');
    fixture.control.closeDispute(dispute.id, 'won');
    await fixture.control.delivered();
    await account.resume();
    await account.fallTo(1n);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
  });

  it('whose dispute is lost is charged again, although a refund beside it may still fail', async () => {
    const { payments, control } = fixture;
    const account = await fixture.account();
    const charge = control.objects().charges.find(({ payment_method }) => payment_method === account.methodId);
    const paymentId = charge?.metadata['tollgate_payment'] ?? '';
    await payments.refund(await payments.get(account.accountId, paymentId), 300n);
    const dispute = control.dispute(charge?.id ?? '', { amount: 500 });
    control.closeDispute(dispute.id, 'lost');
    await control.delivered();
    await account.fallTo(1n);
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
  });

  it('whose dispute was recorded before it was known whether it is open counts as disputed until it is looked at', async () => {
    const { payments, control } = fixture;
    const account = await fixture.account();
    const charge = control.objects().charges.find(({ payment_method }) => payment_method === account.methodId);
    const dispute = control.dispute(charge?.id ?? '', { amount: 500 });
    await control.delivered();
    await payments.deps.pool.query('UPDATE payments.payments SET has_open_dispute = NULL WHERE account_id = $1', [
      account.accountId,
    ]);
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.DISPUTE });
    control.holdWebhooks();
    control.closeDispute(dispute.id, 'lost');
    fixture.pass(DAY_MS);
    await payments.reconcile();
    await account.resume();
    await fixture.run();
    expect(account.charges()).toEqual(paid(24));
  });

  it('is charged within what it may pay in of a day', async () => {
    const { pool } = fixture.payments.deps;
    const account = await fixture.account();
    const limit = (dollars: bigint) =>
      pool.query('UPDATE payments.accounts SET daily_limit_nanos = $2 WHERE account_id = $1', [
        account.accountId,
        dollars * DOLLAR,
      ]);
    await limit(21n);
    await account.fallTo(1n);
    await fixture.run();
    expect(await account.get()).toMatchObject({ pauseReason: PauseReason.DAILY_LIMIT });
    await limit(30n);
    fixture.pass(HOUR_MS);
    await fixture.run();
    expect(account.charges()).toEqual(paid(10));
  });

  it.each([
    [{ targetNanos: 5n * DOLLAR }, 'target_nanos: '],
    [{ targetNanos: 9n * DOLLAR }, 'target_nanos: must be 5 to 5000 USD above'],
    [{ targetNanos: 25n * DOLLAR + 1n }, 'target_nanos: must be in whole cents'],
    [{ thresholdNanos: -1n }, 'threshold_nanos: '],
    [{ monthlyMaxNanos: 19n * DOLLAR }, 'monthly_max_nanos: must be at least 20 USD'],
    [{ methodId: 'pm_other' }, 'method_id: '],
  ])('is told which field is wrong: %o', async (changes, message) => {
    const account = await fixture.account();
    await expect(account.set(changes)).rejects.toThrow(message);
  });

  it('of another customer cannot be read', async () => {
    const account = await fixture.account();
    const { client } = fixture.payments;
    const actorToken = await fixture.payments.tokenOf(newId());
    const call = unaryCall(
      client.getAutomaticTopUp.bind(client),
      { accountId: account.accountId },
      { deadlineMs: 5_000, actorToken },
    );
    await expect(call).rejects.toThrow();
  });
});
