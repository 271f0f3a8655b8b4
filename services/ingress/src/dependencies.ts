import { hostname } from 'node:os';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { RouterServiceClient } from '@tollgate/proto/router';
import type { IngressConfig } from './config.ts';
import { Edge } from './edge/edge.ts';
import { CredentialReader } from './exchange/credentials/credentials.ts';
import { Identities } from './exchange/credentials/identities.ts';
import { Exchanges } from './exchange/exchanges.ts';
import { UpstreamClient } from './exchange/upstream/call.ts';
import { ItemCipher, ItemStore } from './plan/items/item-store.ts';
import { Planner } from './plan/planner.ts';
import { RouteWatch } from './plan/routing/route-watch.ts';
import { ProbeServer } from './probes/probe-server.ts';
import { BufferBudget } from './shared/buffers/buffer-budget.ts';
import { collectAfterPeak } from './shared/buffers/collect-after-peak.ts';
import { Metrics } from './shared/metrics.ts';
import { Wallet } from './wallet/index.ts';

/** Bodies and buffered responses up to these sizes never wait behind large ones of other accounts. */
const SMALL_BODY_BYTES = 16 * 1024;
const SMALL_RESPONSE_BYTES = 64 * 1024;
/** Minimum time for which an item of the item store can be referred to. */
const ITEM_LIFE_MS = 43_200_000;

/** What the endpoints work with, opened once at start: the four floors, and what lies beside them. */
export interface Dependencies {
  config: IngressConfig;
  logger: Logger;
  edge: Edge;
  planner: Planner;
  exchanges: Exchanges;
  wallet: Wallet;
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  metrics: Metrics;
  /** Memory for request bodies, decompressed. */
  requestBuffers: BufferBudget;
  /** Memory for responses that are buffered or kept for later requests. */
  responseBuffers: BufferBudget;
  /** Whether each part that requests need can serve now, by its name in `tollgate.ready`. */
  readiness: Readonly<Record<string, () => boolean>>;
  /** Why the process cannot serve, as `/health/ready` reports it; undefined when it can. */
  problem: () => string | undefined;
}

/** The dependencies of a process, and how they start and stop. */
export interface ManagedDependencies extends Dependencies {
  start: () => Promise<void>;
  /** Withdraws readiness; requests are still served. */
  setStopping: () => void;
  stop: () => Promise<void>;
}

/** Opens everything the ingress works with. Nothing runs in the background before `start`. */
export function createDependencies(config: IngressConfig, logger: Logger): ManagedDependencies {
  const processId = newId();
  const ingressName = config.INGRESS_NAME ?? hostname();
  const tls = grpcTls(config);
  const auth = createGrpcClient(AuthServiceClient, config.AUTH_ADDRESS, tls);
  const ledger = createGrpcClient(LedgerServiceClient, config.LEDGER_ADDRESS, tls);
  const router = createGrpcClient(RouterServiceClient, config.ROUTER_ADDRESS, tls);
  const redis = createRedis(
    { url: config.REDIS_URL, connectionName: 'tollgate-ingress', commandTimeoutMs: config.REDIS_TIMEOUT_MS },
    logger,
  );
  const metrics = new Metrics();
  const onChange = collectAfterPeak();
  const requestBuffers = new BufferBudget(config.MAX_BUFFERED_BYTES, { smallBytes: SMALL_BODY_BYTES, onChange });
  const responseBuffers = new BufferBudget(config.MAX_BUFFERED_BYTES / 2, {
    smallBytes: SMALL_RESPONSE_BYTES,
    onChange,
  });
  const wallet = new Wallet({
    ledger,
    journalDir: config.JOURNAL_DIR,
    journalMaxBytes: config.JOURNAL_MAX_BYTES,
    ingressName,
    logger,
    limits: { settleBeforeEndMs: config.SETTLE_BEFORE_END_MS },
  });
  const credentials = new CredentialReader(process.env, Date.now);
  const identities = new Identities({ credentials, env: process.env, now: Date.now, logger, metrics });
  const providers = { upstream: new UpstreamClient(), credentials, identities };
  const exchanges = new Exchanges({ wallet, router, providers, responseBuffers, metrics, logger, config });
  const routes = new RouteWatch(router, processId, logger, (table) =>
    identities.use(table.models.flatMap((entry) => entry.routes)),
  );
  const planner = new Planner({ routes, items: openItemStore(config, redis), logger });
  const edge = new Edge({
    auth,
    ledger,
    redis,
    processId,
    ingressName,
    routes,
    hasCredit: (accountId) => wallet.hasCredit(accountId),
    requestBuffers,
    metrics,
    logger,
    config,
  });
  const probes = new ProbeServer({ ...providers, router, routes, ingressName, logger });
  let stopping = false;
  const readiness = {
    routes: () => routes.table !== undefined,
    credit: () => wallet.ready(),
    clock: () => wallet.clockProblem() === undefined,
    keys: () => edge.ready,
  };
  return {
    config,
    logger,
    edge,
    planner,
    exchanges,
    wallet,
    auth,
    ledger,
    metrics,
    requestBuffers,
    responseBuffers,
    readiness,
    problem: () => (stopping ? 'stopping' : (wallet.clockProblem() ?? missingParts(readiness))),
    start: async () => {
      routes.start();
      edge.start();
      probes.start();
      await wallet.start();
    },
    setStopping: () => {
      stopping = true;
    },
    stop: async () => {
      await Promise.all([exchanges.stop(), edge.stop()]);
      probes.stop();
      identities.stop();
      routes.stop();
      await providers.upstream.close();
      redis.disconnect();
      for (const client of [auth, ledger, router]) client.close();
    },
  };
}

function openItemStore(config: IngressConfig, redis: RedisClient): ItemStore | undefined {
  const { ITEM_STORE_KEY: keys } = config;
  return keys && new ItemStore({ redis, cipher: new ItemCipher(keys), ttlMs: ITEM_LIFE_MS, now: Date.now });
}

/** Names the parts that cannot serve now. */
function missingParts(readiness: Dependencies['readiness']): string | undefined {
  const names = Object.entries(readiness).flatMap(([name, isReady]) => (isReady() ? [] : [name]));
  return names.length === 0 ? undefined : `without ${names.join(', ')}`;
}
