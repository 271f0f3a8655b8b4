import { createListAuditHandler } from '@tollgate/common/audit/list-audit';
import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { CALLS_GRACE_SHARE, listenOptions, type Service } from '@tollgate/common/grpc/service';
import type { Health } from '@tollgate/common/health';
import type { Periodic } from '@tollgate/common/periodic';
import { type LedgerServiceServer, LedgerServiceService } from '@tollgate/proto/ledger';
import { type Dependencies, waitForDatabase } from './dependencies.ts';
import { createCountRefusalsHandler } from './handlers/count-refusals.ts';
import { createBookPaymentHandler, createDepositHandler } from './handlers/deposit.ts';
import { createFindRequestHandler } from './handlers/find-request.ts';
import { createGetBalanceHandler } from './handlers/get-balance.ts';
import { createGetBalancesHandler } from './handlers/get-balances.ts';
import { createGetCapUsageHandler } from './handlers/get-cap-usage.ts';
import { createGetChargeHandler } from './handlers/get-charge.ts';
import { createGetRefusalHandler } from './handlers/get-refusal.ts';
import { createGetStatusHandler } from './handlers/get-status.ts';
import { createGetThresholdsHandler } from './handlers/get-thresholds.ts';
import { createGetUsageHandler } from './handlers/get-usage.ts';
import { createLeaseHandler } from './handlers/lease/lease.ts';
import { createListBalancesHandler } from './handlers/list-balances.ts';
import { createListChargesHandler } from './handlers/list-charges.ts';
import { createListDepositsHandler } from './handlers/list-deposits.ts';
import { createListEventsHandler } from './handlers/list-events.ts';
import { createListEventsAfterHandler } from './handlers/list-events-after.ts';
import { createListQuarantinedHandler } from './handlers/list-quarantined.ts';
import { createListRefusalsHandler } from './handlers/list-refusals.ts';
import { createRecordRefusalsHandler } from './handlers/record-refusals.ts';
import { createRepostQuarantinedHandler } from './handlers/repost-quarantined.ts';
import { createSetThresholdsHandler } from './handlers/set-thresholds.ts';
import { createSettleHandler } from './handlers/settle.ts';
import {
  createGetStatementHandler,
  createListStatementLinesHandler,
  createListStatementsHandler,
} from './handlers/statements.ts';
import { createSumChargesHandler } from './handlers/sum-charges.ts';
import { createSumProviderUsageHandler } from './handlers/sum-provider-usage.ts';
import { createSumUsageHandler } from './handlers/sum-usage.ts';
import { unavailableInOutage } from './handlers/unavailable-in-outage.ts';
import {
  createCreateVouchersHandler,
  createListVouchersHandler,
  createRedeemVoucherHandler,
  createRevokeVoucherHandler,
} from './handlers/vouchers.ts';
import { startJobs } from './jobs/start-jobs.ts';

const SERVICE_NAME = 'tollgate.ledger.v1.LedgerService';

/** Creates the service. It serves, and its jobs run, once Postgres responds with a schema that it can use. */
export function createServer(deps: Dependencies, health: Health): Service {
  const stopping = new AbortController();
  let server: GrpcServer | undefined;
  let jobs: Periodic | undefined;
  let started = Promise.resolve();
  const start = async () => {
    if (!(await waitForDatabase(deps, { onProblem: health.setProblem, signal: stopping.signal }))) return;
    server = await startLedgerServer(deps, health);
    server.setServing(true);
    jobs = startJobs(deps, server.setServing);
  };
  const stopStarting = async () => {
    stopping.abort();
    await started;
  };
  return {
    start: () => {
      started = start();
      return started;
    },
    stopSteps: [
      { name: 'start', run: stopStarting },
      { name: 'jobs', run: () => jobs?.stop() },
      { name: 'readiness', run: () => server?.setServing(false, 'stopping') },
      { name: 'streams', run: () => deps.streams.drain() },
      { name: 'server', run: () => server?.stop(deps.config.SHUTDOWN_GRACE_MS * CALLS_GRACE_SHARE) },
      { name: 'auth', run: () => deps.auth.close() },
      { name: 'database', run: () => deps.pool.end() },
      { name: 'health', run: () => health.stop() },
    ],
  };
}

/** Starts the gRPC server on a database whose schema and partitions exist. */
export async function startLedgerServer(deps: Dependencies, health?: Health): Promise<GrpcServer> {
  const { config, logger, recalls } = deps;
  await recalls.start();
  const server = await startGrpcServer({
    ...listenOptions(config),
    logger,
    definition: LedgerServiceService,
    implementation: createHandlers(deps),
    serviceName: SERVICE_NAME,
    health,
  });
  const stop = async (graceMs: number) => {
    await server.stop(graceMs);
    await recalls.stop();
  };
  return { ...server, stop };
}

/** Creates the handlers of all RPCs. */
export function createHandlers(deps: Dependencies): LedgerServiceServer {
  const call = <Request, Response>(method: string, handler: UnaryHandler<Request, Response>) =>
    unary(`${SERVICE_NAME}/${method}`, deps, unavailableInOutage(method, deps.logger, handler));
  return {
    lease: createLeaseHandler(deps),
    settle: createSettleHandler(deps),
    deposit: call('Deposit', createDepositHandler(deps)),
    bookPayment: call('BookPayment', createBookPaymentHandler(deps)),
    getBalances: call('GetBalances', createGetBalancesHandler(deps)),
    getBalance: call('GetBalance', createGetBalanceHandler(deps)),
    getCharge: call('GetCharge', createGetChargeHandler(deps)),
    listCharges: call('ListCharges', createListChargesHandler(deps)),
    sumCharges: call('SumCharges', createSumChargesHandler(deps)),
    getUsage: call('GetUsage', createGetUsageHandler(deps)),
    listDeposits: call('ListDeposits', createListDepositsHandler(deps)),
    listStatements: call('ListStatements', createListStatementsHandler(deps)),
    getStatement: call('GetStatement', createGetStatementHandler(deps)),
    listStatementLines: call('ListStatementLines', createListStatementLinesHandler(deps)),
    getThresholds: call('GetThresholds', createGetThresholdsHandler(deps)),
    setThresholds: call('SetThresholds', createSetThresholdsHandler(deps)),
    listEvents: call('ListEvents', createListEventsHandler(deps)),
    getCapUsage: call('GetCapUsage', createGetCapUsageHandler(deps)),
    recordRefusals: call('RecordRefusals', createRecordRefusalsHandler(deps)),
    listRefusals: call('ListRefusals', createListRefusalsHandler(deps)),
    getRefusal: call('GetRefusal', createGetRefusalHandler(deps)),
    findRequest: call('FindRequest', createFindRequestHandler(deps)),
    sumProviderUsage: call('SumProviderUsage', createSumProviderUsageHandler(deps)),
    createVouchers: call('CreateVouchers', createCreateVouchersHandler(deps)),
    listVouchers: call('ListVouchers', createListVouchersHandler(deps)),
    revokeVoucher: call('RevokeVoucher', createRevokeVoucherHandler(deps)),
    redeemVoucher: call('RedeemVoucher', createRedeemVoucherHandler(deps)),
    sumUsage: call('SumUsage', createSumUsageHandler(deps)),
    countRefusals: call('CountRefusals', createCountRefusalsHandler(deps)),
    listBalances: call('ListBalances', createListBalancesHandler(deps)),
    getStatus: call('GetStatus', createGetStatusHandler(deps)),
    listEventsAfter: call('ListEventsAfter', createListEventsAfterHandler(deps)),
    listAudit: call('ListAudit', createListAuditHandler('ledger', deps.pool)),
    listQuarantined: call('ListQuarantined', createListQuarantinedHandler(deps)),
    repostQuarantined: call('RepostQuarantined', createRepostQuarantinedHandler(deps)),
  };
}
