import { type UnaryHandler, unary } from '@tollgate/common/grpc/handler';
import { type GrpcServer, startGrpcServer } from '@tollgate/common/grpc/server';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Health } from '@tollgate/common/health';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type LedgerServiceServer, LedgerServiceService } from '@tollgate/proto/ledger';
import type { Config } from './config.ts';
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
import { MAX_BATCH, settleHandler } from './handlers/settle.ts';
import { unavailableInOutage } from './handlers/unavailable-in-outage.ts';
import { startPostgresBus } from './recall/bus.ts';
import { Recalls } from './recall/recalls.ts';
import { ChargeWaiters } from './settle/charge-waiters.ts';
import { recordSettlementSpans, settlementReporter } from './settle/observe-settlement.ts';
import { settleIsolating } from './settle/settle-records.ts';
import { type Settlement, Settler } from './settle/settler.ts';
import { OpenStreams } from './streams/serve-stream.ts';

export interface LedgerServer extends GrpcServer {
  /** The recalls this replica takes part in. */
  recalls: Recalls;
  /** Ends the streams that are open, each once what runs on it is answered. */
  drainStreams: () => void;
}

/** The ledger's calls on one database, apart from the server that takes them. */
export interface LedgerCalls {
  implementation: LedgerServiceServer;
  /** Ends the streams that are open, each once what runs on it is answered. */
  drainStreams: () => void;
}

/**
 * Makes the ledger's calls on a database whose schema and partitions are there.
 *
 * @param recalls reaches the sessions of other replicas too where it has a bus
 */
export function createLedgerCalls(
  pool: Pool,
  config: Config,
  logger: Logger,
  recalls = new Recalls({ waitMs: config.RECALL_WAIT_MS }),
): LedgerCalls {
  const open = new OpenStreams();
  const waiters = new ChargeWaiters();
  const committed = settlementObserver(logger, waiters);
  const settler = createSettler(pool, config, logger, committed);
  const times = {
    sessionTtlMs: config.SESSION_TTL_MS,
    heartbeatIntervalMs: config.HEARTBEAT_INTERVAL_MS,
    maxRequestMs: config.MAX_REQUEST_MS,
  };
  const call = <Request, Response>(method: string, handler: UnaryHandler<Request, Response>) =>
    unary(method, logger, unavailableInOutage(method, logger, handler));
  const implementation: LedgerServiceServer = {
    lease: leaseHandler({ pool, times, recalls }, open, logger),
    settle: settleHandler(settler, open, logger),
    deposit: call('Deposit', depositHandler({ pool, recalls, sessionTtlMs: config.SESSION_TTL_MS })),
    getBalance: call('GetBalance', getBalanceHandler(pool)),
    getCharge: call('GetCharge', getChargeHandler(pool, waiters)),
    listCharges: call('ListCharges', listChargesHandler(pool)),
    getUsage: call('GetUsage', getUsageHandler(pool)),
    listDeposits: call('ListDeposits', listDepositsHandler(pool)),
    getThresholds: call('GetThresholds', getThresholdsHandler(pool)),
    setThresholds: call('SetThresholds', setThresholdsHandler(pool)),
    listEvents: call('ListEvents', listEventsHandler(pool)),
    listQuarantined: call('ListQuarantined', listQuarantinedHandler(pool)),
    repostQuarantined: call(
      'RepostQuarantined',
      repostQuarantinedHandler(pool, config.CHARGE_MAX_AGE_MS, committed, logger),
    ),
    reconcile: call('Reconcile', reconcileHandler(pool)),
  };
  return { implementation, drainStreams: () => open.drain() };
}

/** Starts the ledger's gRPC server on a database whose schema and partitions are there. */
export async function startLedgerServer(
  pool: Pool,
  config: Config,
  logger: Logger,
  health?: Health,
): Promise<LedgerServer> {
  const bus = await startPostgresBus(config.DATABASE_URL, logger);
  const recalls = new Recalls({ waitMs: config.RECALL_WAIT_MS, bus });
  const { implementation, drainStreams } = createLedgerCalls(pool, config, logger, recalls);
  const server = await startGrpcServer({
    host: config.LISTEN_HOST,
    port: config.GRPC_PORT,
    socket: config.GRPC_SOCKET,
    logger,
    definition: LedgerServiceService,
    implementation,
    serviceName: 'tollgate.ledger.v1.LedgerService',
    tls: grpcTls(config),
    health,
  });
  const stop = async (graceMs: number) => {
    await server.stop(graceMs);
    await recalls.stop();
  };
  return { ...server, drainStreams, stop, recalls };
}

/** Makes what is told of every settlement: metrics and alarms, spans, and those who wait for a charge. */
function settlementObserver(logger: Logger, waiters: ChargeWaiters): (settlement: Settlement) => void {
  const report = settlementReporter(logger);
  return (settlement) => {
    report(settlement);
    recordSettlementSpans(settlement);
    if (waiters.idle) return;
    for (const { record } of settlement.plan.postings) {
      waiters.wake(record.charge.accountId, record.charge.requestId, record.charge.traceId);
    }
  };
}

function createSettler(
  pool: Pool,
  config: Config,
  logger: Logger,
  committed: (settlement: Settlement) => void,
): Settler {
  return new Settler({
    commit: (records) => settleIsolating(pool, records, { maxAgeMs: config.CHARGE_MAX_AGE_MS, logger }),
    committed,
    lanes: config.SETTLE_LANES,
    rows: { minRows: MAX_BATCH, maxRows: config.SETTLE_MAX_ROWS, targetMs: config.SETTLE_TARGET_MS },
  });
}
