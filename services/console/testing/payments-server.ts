import { createPublicKey } from 'node:crypto';
import { authorizeBy } from '@tollgate/common/actors/authorize';
import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { startGrpcServer } from '@tollgate/common/grpc/server';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { ACTOR_SETTINGS } from '@tollgate/common/testing/actors';
import { ListAuditResponse } from '@tollgate/proto/audit';
import { type Event, ListEventsAfterResponse } from '@tollgate/proto/events';
import {
  AutomaticTopUp,
  AutomaticTopUpState,
  ListPaymentMethodsResponse,
  ListPaymentsResponse,
  Payment,
  PaymentLimits,
  PaymentMode,
  PaymentOptions,
  PaymentState,
  type PaymentsServiceServer,
  PaymentsServiceService,
  RemovePaymentMethodResponse,
} from '@tollgate/proto/payments';

const SERVICE_NAME = 'tollgate.payments.v1.PaymentsService';
const DOLLAR = 1_000_000_000n;

export interface PaymentsServer {
  address: string;
  /** Whence payments were begun. */
  clientAddresses: readonly string[];
  /** Of all accounts, oldest first: tests add some. */
  events: Event[];
  stop: () => Promise<void>;
}

/** A stand-in for payments that has one payment and one card in every account, and checks who calls as payments does. */
export async function startPaymentsServer(): Promise<PaymentsServer> {
  const logger = createLogger('test', 'silent');
  const authorize = authorizeBy([createPublicKey(ACTOR_SETTINGS.ACTOR_PUBLIC_KEYS)]);
  const call = <Request, Response>(method: string, handler: UnaryHandler<Request, Response>) =>
    unary(`${SERVICE_NAME}/${method}`, { logger, authorize }, handler);
  const clientAddresses: string[] = [];
  const events: Event[] = [];
  const implementation: PaymentsServiceServer = {
    getPaymentOptions: call('GetPaymentOptions', async () => OPTIONS),
    createCheckout: call('CreateCheckout', async ({ amountNanos, clientAddress }) => {
      clientAddresses.push(clientAddress);
      return pending(amountNanos);
    }),
    getPayment: call('GetPayment', async ({ paymentId }) => ({ ...settled(), paymentId })),
    listPayments: call('ListPayments', async () => ListPaymentsResponse.fromPartial({ data: [settled()] })),
    refundPayment: call('RefundPayment', async ({ paymentId, amountNanos }) => ({
      ...settled(),
      paymentId,
      refundedNanos: amountNanos,
    })),
    listPaymentMethods: call('ListPaymentMethods', async () => METHODS),
    getPaymentLimits: call('GetPaymentLimits', async () => LIMITS),
    updatePaymentLimits: call('UpdatePaymentLimits', async () => LIMITS),
    clearFailedCards: call('ClearFailedCards', async () => LIMITS),
    listAudit: call('ListAudit', async () => ListAuditResponse.fromPartial({})),
    getAutomaticTopUp: call('GetAutomaticTopUp', async () => TOP_UP),
    setAutomaticTopUp: call('SetAutomaticTopUp', async () => TOP_UP),
    deleteAutomaticTopUp: call('DeleteAutomaticTopUp', async () => TOP_UP),
    resumeAutomaticTopUp: call('ResumeAutomaticTopUp', async () => TOP_UP),
    listEventsAfter: call('ListEventsAfter', async ({ afterEventId, limit }) =>
      ListEventsAfterResponse.fromPartial({
        events: events.filter((each) => each.eventId > afterEventId).slice(0, limit),
      }),
    ),
    removePaymentMethod: call('RemovePaymentMethod', async () => RemovePaymentMethodResponse.fromPartial({})),
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    definition: PaymentsServiceService,
    implementation,
    serviceName: SERVICE_NAME,
  });
  server.setServing(true);
  return { address: `127.0.0.1:${server.port}`, clientAddresses, events, stop: () => server.stop(1_000) };
}

const OPTIONS = PaymentOptions.fromPartial({
  mode: PaymentMode.SIMULATED,
  offeredAmountsNanos: [20n * DOLLAR, 50n * DOLLAR],
  minAmountNanos: 5n * DOLLAR,
  maxAmountNanos: 500n * DOLLAR,
  dailyLimitNanos: 1_000n * DOLLAR,
  dailyLeftNanos: 1_000n * DOLLAR,
});

const LIMITS = PaymentLimits.fromPartial({
  dailyLimitNanos: 1_000n * DOLLAR,
  dailyLeftNanos: 950n * DOLLAR,
  baseNanos: 1_000n * DOLLAR,
  usedNanos: 50n * DOLLAR,
  maxBegunInHour: 10,
  maxFailedCards: 10,
});

const METHODS = ListPaymentMethodsResponse.fromPartial({
  data: [{ methodId: 'pm_1', brand: 'visa', last4: '4242', expiresMonth: 12, expiresYear: 2_030 }],
});

const TOP_UP = AutomaticTopUp.fromPartial({
  state: AutomaticTopUpState.ON,
  offered: true,
  rule: {
    thresholdNanos: 5n * DOLLAR,
    targetNanos: 25n * DOLLAR,
    monthlyMaxNanos: 100n * DOLLAR,
    methodId: 'pm_1',
    method: 'visa 4242',
  },
});

function settled(): Payment {
  const now = BigInt(Date.now());
  return Payment.fromPartial({
    paymentId: newId(),
    state: PaymentState.SETTLED,
    amountNanos: 50n * DOLLAR,
    creditedNanos: 50n * DOLLAR,
    method: 'visa 4242',
    createdBy: 'Ana',
    createdAtMs: now,
    settledAtMs: now,
    providerPayment: 'pi_1',
  });
}

function pending(amountNanos: bigint): Payment {
  return Payment.fromPartial({
    paymentId: newId(),
    state: PaymentState.PENDING,
    amountNanos,
    checkoutUrl: 'https://checkout.example.com/pay',
    createdBy: 'Ana',
    createdAtMs: BigInt(Date.now()),
  });
}
