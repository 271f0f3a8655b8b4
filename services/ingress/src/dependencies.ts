import { hostname } from 'node:os';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { RouterServiceClient } from '@tollgate/proto/router';
import type { IngressConfig } from './config.ts';
import { FailureLog } from './edge/authenticate/failure-log.ts';
import { KeyAuthenticator } from './edge/authenticate/key-authenticator.ts';
import { RevocationWatch } from './edge/authenticate/revocation-watch.ts';
import { KeyUse } from './edge/authenticate/key-use.ts';
import { UnknownKeyLimiter } from './edge/authenticate/unknown-key-limiter.ts';
import { Limiter } from './edge/limits/limiter.ts';
import { RefusalReporter } from './edge/refusals/refusal-reporter.ts';
import { ResponseSockets } from './edge/websocket/response-sockets.ts';
import { CatalogueGaps } from './exchange/catalogue-gaps.ts';
import { OpenCalls } from './exchange/open-calls.ts';
import { OutcomeReporter } from './exchange/outcomes/outcome-reporter.ts';
import { UpstreamClient } from './exchange/upstream/call.ts';
import { CredentialReader } from './exchange/upstream/credentials.ts';
import { Identities } from './exchange/upstream/identity/identities.ts';
import { PendingChargeLookups } from './handlers/billing/ledger-calls.ts';
import { ItemCipher } from './plan/items/item-cipher.ts';
import { ItemStore } from './plan/items/item-store.ts';
import { RouteWatch } from './plan/routing/route-watch.ts';
import { ProbeServer } from './probes/probe-server.ts';
import { BufferBudget } from './shared/buffers/buffer-budget.ts';
import { collectAfterPeak } from './shared/buffers/collect-after-peak.ts';
import { Metrics } from './shared/metrics/metrics.ts';
import { CreditManager } from './wallet/index.ts';

const OUTCOMES_GRACE_MS = 1_000;
/** Bodies and buffered responses up to these sizes never wait behind large ones of other accounts. */
const SMALL_BODY_BYTES = 16 * 1024;
const SMALL_RESPONSE_BYTES = 64 * 1024;
/** How often the last use of keys is reported to auth. */
const KEY_USE_INTERVAL_MS = 30_000;
const KEY_USE_DEADLINE_MS = 2_000;
const REFUSALS_DEADLINE_MS = 2_000;
/** Minimum time for which an item of the item store can be referred to. */
const ITEM_LIFE_MS = 43_200_000;

/** Everything the endpoints work with, opened once at start. */
export interface Dependencies {
  config: IngressConfig;
  logger: Logger;
  authenticator: KeyAuthenticator;
  /** Counts failed authentications. */
  failures: FailureLog;
  keyUse: KeyUse;
  refusals: RefusalReporter;
  limiter: Limiter;
  routes: RouteWatch;
  outcomes: OutcomeReporter;
  credit: CreditManager;
  ledger: LedgerServiceClient;
  upstream: UpstreamClient;
  openCalls: OpenCalls;
  credentials: CredentialReader;
  /** Who this process is at clouds. */
  identities: Identities;
  pendingCharges: PendingChargeLookups;
  metrics: Metrics;
  catalogueGaps: CatalogueGaps;
  /** Memory for request bodies, decompressed. */
  requestBuffers: BufferBudget;
  /** Memory for responses that are buffered or kept for later requests. */
  responseBuffers: BufferBudget;
  /** Undefined without ITEM_STORE_KEY. */
  items: ItemStore | undefined;
  /** The open WebSockets. */
  sockets: ResponseSockets;
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
  const watcherId = newId();
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
  const revocations = new RevocationWatch({ auth, watcherId, ingressName, logger });
  const authenticator = new KeyAuthenticator({
    auth,
    redis,
    revocations,
    unknownKeys: new UnknownKeyLimiter({ burst: config.UNKNOWN_KEYS_BURST, now: () => performance.now() }),
    serviceName: config.SERVICE_NAME,
    logger,
  });
  const failures = new FailureLog(logger, metrics);
  const limiter = new Limiter({
    redis,
    processName: watcherId,
    logger,
    maxOpen: config.MAX_OPEN_REQUESTS,
    maxOpenPerAccount: Math.floor(config.MAX_OPEN_REQUESTS / 2),
  });
  const keyUse = new KeyUse({
    send: (uses) => unaryCall(auth.reportKeyUse.bind(auth), { uses }, { deadlineMs: KEY_USE_DEADLINE_MS }),
    intervalMs: KEY_USE_INTERVAL_MS,
    logger,
  });
  const refusals = new RefusalReporter({
    send: (batch) => unaryCall(ledger.recordRefusals.bind(ledger), batch, { deadlineMs: REFUSALS_DEADLINE_MS }),
    metrics,
    logger,
  });
  const credit = new CreditManager({
    ledger,
    journalDir: config.JOURNAL_DIR,
    journalMaxBytes: config.JOURNAL_MAX_BYTES,
    ingressName,
    logger,
    limits: { settleBeforeEndMs: config.SETTLE_BEFORE_END_MS },
  });
  const credentials = new CredentialReader(process.env, Date.now);
  const identities = new Identities({ credentials, env: process.env, now: Date.now, logger, metrics });
  const routes = new RouteWatch(router, watcherId, logger, (table) =>
    identities.use(table.models.flatMap((entry) => entry.routes)),
  );
  const outcomes = new OutcomeReporter(router, logger);
  const upstream = new UpstreamClient();
  const probes = new ProbeServer({ router, routes, upstream, credentials, identities, ingressName, logger });
  const onChange = collectAfterPeak();
  const requestBuffers = new BufferBudget(config.MAX_BUFFERED_BYTES, { smallBytes: SMALL_BODY_BYTES, onChange });
  const sockets = new ResponseSockets({
    requestBuffers,
    logger,
    hasCredit: (accountId) => credit.hasCredit(accountId),
    config,
  });
  revocations.onChange(() => sockets.keysChanged());
  let stopping = false;
  const readiness = {
    routes: () => routes.table !== undefined,
    credit: () => credit.ready(),
    clock: () => credit.clockProblem() === undefined,
    keys: () => revocations.ready,
  };
  return {
    config,
    logger,
    authenticator,
    failures,
    keyUse,
    refusals,
    limiter,
    routes,
    outcomes,
    credit,
    ledger,
    upstream,
    openCalls: new OpenCalls(),
    credentials,
    identities,
    pendingCharges: new PendingChargeLookups(config.MAX_REQUEST_MS, () => credit.settleNow()),
    metrics,
    catalogueGaps: new CatalogueGaps(logger, metrics),
    requestBuffers,
    responseBuffers: new BufferBudget(config.MAX_BUFFERED_BYTES / 2, {
      smallBytes: SMALL_RESPONSE_BYTES,
      onChange,
    }),
    items: openItemStore(config, redis),
    sockets,
    readiness,
    problem: () => (stopping ? 'stopping' : (credit.clockProblem() ?? missingParts(readiness))),
    start: async () => {
      routes.start();
      keyUse.start();
      failures.start();
      limiter.start();
      revocations.start();
      probes.start();
      await credit.start();
    },
    setStopping: () => {
      stopping = true;
    },
    stop: async () => {
      await Promise.all([outcomes.stop(OUTCOMES_GRACE_MS), keyUse.stop(), refusals.stop()]);
      limiter.stop();
      failures.stop();
      probes.stop();
      identities.stop();
      await Promise.all([routes.stop(), revocations.stop(), upstream.close()]);
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
