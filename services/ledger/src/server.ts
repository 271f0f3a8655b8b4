import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { CALLS_GRACE_SHARE, type Service } from '@tollgate/common/grpc/service';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Health } from '@tollgate/common/health';
import { type LedgerServiceServer, LedgerServiceService } from '@tollgate/proto/ledger';
import { type Dependencies, waitForDatabase } from './dependencies.ts';
import { depositHandler } from './handlers/deposit.ts';
import { getBalanceHandler } from './handlers/get-balance.ts';
import { getChargeHandler } from './handlers/get-charge.ts';
import { getThresholdsHandler } from './handlers/get-thresholds.ts';
import { getUsageHandler } from './handlers/get-usage.ts';
import { leaseHandler } from './handlers/lease/lease.ts';
import { listChargesHandler } from './handlers/list-charges.ts';
import { listDepositsHandler } from './handlers/list-deposits.ts';
import { listEventsHandler } from './handlers/list-events.ts';
import { listQuarantinedHandler } from './handlers/list-quarantined.ts';
import { reconcileHandler } from './handlers/reconcile.ts';
import { repostQuarantinedHandler } from './handlers/repost-quarantined.ts';
import { setThresholdsHandler } from './handlers/set-thresholds.ts';
import { settleHandler } from './handlers/settle.ts';
import { unavailableInOutage } from './handlers/unavailable-in-outage.ts';
import type { Periodic } from './jobs/periodic.ts';
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
    host: config.LISTEN_HOST,
    port: config.GRPC_PORT,
    socket: config.GRPC_SOCKET,
    logger,
    definition: LedgerServiceService,
    implementation: createHandlers(deps),
    serviceName: SERVICE_NAME,
    tls: grpcTls(config),
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
    unary(`${SERVICE_NAME}/${method}`, deps.logger, unavailableInOutage(method, deps.logger, handler));
  return {
    lease: leaseHandler(deps),
    settle: settleHandler(deps),
    deposit: call('Deposit', depositHandler(deps)),
    getBalance: call('GetBalance', getBalanceHandler(deps)),
    getCharge: call('GetCharge', getChargeHandler(deps)),
    listCharges: call('ListCharges', listChargesHandler(deps)),
    getUsage: call('GetUsage', getUsageHandler(deps)),
    listDeposits: call('ListDeposits', listDepositsHandler(deps)),
    getThresholds: call('GetThresholds', getThresholdsHandler(deps)),
    setThresholds: call('SetThresholds', setThresholdsHandler(deps)),
    listEvents: call('ListEvents', listEventsHandler(deps)),
    listQuarantined: call('ListQuarantined', listQuarantinedHandler(deps)),
    repostQuarantined: call('RepostQuarantined', repostQuarantinedHandler(deps)),
    reconcile: call('Reconcile', reconcileHandler(deps)),
  };
}
