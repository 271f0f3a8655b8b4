import { listEventsAfter } from '@tollgate/common/events/event-log';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { findFreePort } from '@tollgate/local/processes/ports';
import { DepositKind } from '@tollgate/proto/ledger';
import { type AutomaticTopUp, PaymentState } from '@tollgate/proto/payments';
import type { Control } from '@tollgate/stripe-simulator/control/control';
import { startStripeSimulator } from '@tollgate/stripe-simulator/testing/start';
import { DOLLAR, type ServedPayments, servePayments } from './serve-payments.ts';

export { DOLLAR };

const LONG = { deadlineMs: 30_000 };

/** Payments with a real ledger and the simulated Stripe, all with one clock. */
export interface TopUpFixture {
  payments: ServedPayments;
  control: Control;
  /** An account that has paid in 20 dollars by a card that it saved, and charges it at 5 dollars or below. */
  account: (changes?: { monthlyMaxNanos?: bigint }) => Promise<TopUpAccount>;
  /** What both jobs do, until nothing is due. */
  run: () => Promise<void>;
  pass: (ms: number) => void;
  stop: () => Promise<void>;
}

export interface TopUpAccount {
  accountId: string;
  methodId: string;
  get: () => Promise<AutomaticTopUp>;
  set: (changes?: Partial<Rule>) => Promise<AutomaticTopUp>;
  resume: () => Promise<AutomaticTopUp>;
  off: () => Promise<AutomaticTopUp>;
  removeCard: () => Promise<unknown>;
  /** Requests bring the balance to so many dollars. */
  fallTo: (dollars: bigint) => Promise<void>;
  /** What automatic charges were asked of Stripe, in cents, by outcome. */
  charges: () => { amount: number; status: string }[];
  events: () => Promise<Record<string, string>[]>;
  balance: () => Promise<bigint>;
}

interface Rule {
  thresholdNanos: bigint;
  targetNanos: bigint;
  monthlyMaxNanos: bigint;
  methodId: string;
}

export async function startTopUps(settings: Record<string, string> = {}): Promise<TopUpFixture> {
  const port = await findFreePort();
  const offset = { ms: 0 };
  const simulator = await startStripeSimulator({
    webhook: { url: `http://127.0.0.1:${port}/webhooks/stripe`, secret: 'whsec_testsecret' },
    secretKey: 'sk_test_abc',
  });
  const { control } = simulator;
  const payments = await servePayments(
    {},
    { STRIPE_API_URL: simulator.url, PORT: String(port), PAYMENT_DAILY_LIMIT: '1000', ...settings },
    offset,
  );
  const { client } = payments;

  const account = async (changes: Partial<Rule> = {}): Promise<TopUpAccount> => {
    const accountId = newId();
    const actor = async () => ({ ...LONG, actorToken: await payments.tokenOf(accountId) });
    const { paymentId } = await payments.checkout(accountId, { amountNanos: 20n * DOLLAR, saveMethod: true });
    const page = control.objects().checkout_sessions.find((each) => each.client_reference_id === paymentId);
    control.pay(page?.id ?? '');
    await control.delivered();
    const paid = await payments.get(accountId, paymentId);
    if (paid.state !== PaymentState.SETTLED) throw new Error('the first payment was not settled');
    const { data } = await unaryCall(client.listPaymentMethods.bind(client), { accountId }, await actor());
    const methodId = data[0]?.methodId ?? '';
    const rule = { thresholdNanos: 5n * DOLLAR, targetNanos: 25n * DOLLAR, monthlyMaxNanos: 100n * DOLLAR, methodId };
    const of = { accountId };
    const set = async (other: Partial<Rule> = {}) =>
      unaryCall(client.setAutomaticTopUp.bind(client), { ...of, ...rule, ...changes, ...other }, await actor());
    await set();
    const balance = () => payments.balanceOf(accountId);
    return {
      accountId,
      methodId,
      get: async () => unaryCall(client.getAutomaticTopUp.bind(client), of, await actor()),
      set,
      resume: async () => unaryCall(client.resumeAutomaticTopUp.bind(client), of, await actor()),
      off: async () => unaryCall(client.deleteAutomaticTopUp.bind(client), of, await actor()),
      removeCard: async () => unaryCall(client.removePaymentMethod.bind(client), { ...of, methodId }, await actor()),
      fallTo: async (dollars) => {
        const amountNanos = dollars * DOLLAR - (await balance());
        if (amountNanos === 0n) return;
        await unaryCall(
          payments.ledger.client.deposit.bind(payments.ledger.client),
          { ...of, kind: DepositKind.ADJUSTMENT, amountNanos, idempotencyKey: newId(), reason: 'requests' },
          LONG,
        );
      },
      charges: () =>
        control
          .objects()
          .payment_intents.filter(({ metadata }) => metadata['tollgate_account'] === accountId)
          .filter(({ description }) => description === 'Credit')
          .map(({ amount, status }) => ({ amount, status })),
      events: async () => {
        const events = await listEventsAfter('payments', payments.deps.pool, undefined, 1_000);
        return events.filter((each) => each.account_id === accountId).map(({ data }) => ({ ...data }));
      },
      balance,
    };
  };
  return {
    payments,
    control,
    account,
    run: async () => {
      await payments.topUp.watch();
      await payments.topUp.charge();
      await control.delivered();
    },
    pass: (ms) => {
      payments.pass(ms);
      control.advance(ms);
    },
    stop: async () => {
      await payments.stop();
      await simulator.stop();
    },
  };
}
