import type { Server } from 'node:http';
import { createListAuditHandler } from '@tollgate/common/audit/list-audit';
import { createListEventsAfterHandler } from '@tollgate/common/events/list-events-after';
import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { CALLS_GRACE_SHARE, listenOptions, type Service } from '@tollgate/common/grpc/service';
import type { Health } from '@tollgate/common/health';
import { listen, stopListening } from '@tollgate/common/http-server';
import type { Periodic } from '@tollgate/common/periodic';
import { type PaymentsServiceServer, PaymentsServiceService } from '@tollgate/proto/payments';
import { type Dependencies, waitForDatabase } from './dependencies.ts';
import {
  createDeleteAutomaticTopUpHandler,
  createGetAutomaticTopUpHandler,
  createResumeAutomaticTopUpHandler,
  createSetAutomaticTopUpHandler,
} from './handlers/automatic-top-up.ts';
import { createCreateCheckoutHandler } from './handlers/create-checkout.ts';
import { createGetPaymentHandler } from './handlers/get-payment.ts';
import { createGetPaymentOptionsHandler } from './handlers/get-payment-options.ts';
import { createListPaymentsHandler } from './handlers/list-payments.ts';
import {
  createClearFailedCardsHandler,
  createGetPaymentLimitsHandler,
  createUpdatePaymentLimitsHandler,
} from './handlers/payment-limits.ts';
import { createListPaymentMethodsHandler, createRemovePaymentMethodHandler } from './handlers/payment-methods.ts';
import { createRefundPaymentHandler } from './handlers/refund-payment.ts';
import { startJobs } from './jobs/start-jobs.ts';
import { createWebhookServer } from './webhooks/http-app.ts';

const SERVICE_NAME = 'tollgate.payments.v1.PaymentsService';

export interface PaymentsService extends Service {
  /** The ports that were bound; 0 before. */
  ports: () => { grpc: number; webhooks: number };
}

/**
 * Creates the service: the gRPC server, the HTTP server of webhooks, and the jobs, once Postgres has a usable schema.
 *
 * @param jobs false: nothing runs in the background
 */
export function createServer(
  deps: Dependencies,
  health: Health,
  { jobs: withJobs = true }: { jobs?: boolean } = {},
): PaymentsService {
  const { config, logger } = deps;
  const stopping = new AbortController();
  let problem: string | undefined = 'starting';
  const setProblem = (current: string | undefined) => {
    problem = current;
    health.setProblem(current);
  };
  let grpc: GrpcServer | undefined;
  let webhooks: Server | undefined;
  let webhookPort = 0;
  let jobs: Periodic | undefined;
  let started = Promise.resolve();

  const setServing = (serving: boolean, reason?: string) => {
    grpc?.setServing(serving, reason);
    problem = serving ? undefined : (reason ?? 'not serving');
  };
  const start = async () => {
    if (!(await waitForDatabase(deps, { onProblem: setProblem, signal: stopping.signal }))) return;
    grpc = await startGrpcServer({
      ...listenOptions(config),
      logger,
      definition: PaymentsServiceService,
      implementation: createHandlers(deps),
      serviceName: SERVICE_NAME,
      health,
    });
    webhooks = createWebhookServer({ events: deps.events, logger, problem: () => problem });
    webhookPort = await listen(webhooks, config.LISTEN_HOST, config.PORT);
    setServing(true);
    if (withJobs) jobs = startJobs(deps, setServing);
    logger.info({ webhook_port: webhookPort }, 'serving');
  };
  const lingerMs = config.SHUTDOWN_LINGER_MS;
  const graceMs = (config.SHUTDOWN_GRACE_MS - lingerMs) * CALLS_GRACE_SHARE;
  return {
    start: () => {
      started = start();
      return started;
    },
    ports: () => ({ grpc: grpc?.port ?? 0, webhooks: webhookPort }),
    stopSteps: [
      {
        name: 'start',
        run: async () => {
          stopping.abort();
          await started;
        },
      },
      { name: 'jobs', run: () => jobs?.stop() },
      { name: 'readiness', run: () => setServing(false, 'stopping') },
      {
        name: 'servers',
        run: async () => {
          await Promise.all([
            webhooks === undefined ? undefined : stopListening(webhooks, { lingerMs, graceMs }),
            grpc?.stop(graceMs),
          ]);
        },
      },
      { name: 'connections', run: () => deps.close() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

/** Creates the handlers of all RPCs. */
function createHandlers(deps: Dependencies): PaymentsServiceServer {
  const call = <Request, Response>(method: string, handler: UnaryHandler<Request, Response>) =>
    unary(`${SERVICE_NAME}/${method}`, deps, handler);
  return {
    getPaymentOptions: call('GetPaymentOptions', createGetPaymentOptionsHandler(deps)),
    createCheckout: call('CreateCheckout', createCreateCheckoutHandler(deps)),
    getPayment: call('GetPayment', createGetPaymentHandler(deps)),
    listPayments: call('ListPayments', createListPaymentsHandler(deps)),
    refundPayment: call('RefundPayment', createRefundPaymentHandler(deps)),
    listPaymentMethods: call('ListPaymentMethods', createListPaymentMethodsHandler(deps)),
    removePaymentMethod: call('RemovePaymentMethod', createRemovePaymentMethodHandler(deps)),
    getPaymentLimits: call('GetPaymentLimits', createGetPaymentLimitsHandler(deps)),
    updatePaymentLimits: call('UpdatePaymentLimits', createUpdatePaymentLimitsHandler(deps)),
    clearFailedCards: call('ClearFailedCards', createClearFailedCardsHandler(deps)),
    getAutomaticTopUp: call('GetAutomaticTopUp', createGetAutomaticTopUpHandler(deps)),
    setAutomaticTopUp: call('SetAutomaticTopUp', createSetAutomaticTopUpHandler(deps)),
    deleteAutomaticTopUp: call('DeleteAutomaticTopUp', createDeleteAutomaticTopUpHandler(deps)),
    resumeAutomaticTopUp: call('ResumeAutomaticTopUp', createResumeAutomaticTopUpHandler(deps)),
    listEventsAfter: call('ListEventsAfter', createListEventsAfterHandler('payments', deps.pool)),
    listAudit: call('ListAudit', createListAuditHandler('payments', deps.pool)),
  };
}
