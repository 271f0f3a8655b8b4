import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { RouterServiceClient } from '@tollgate/proto/router';
import { Attempts } from './attempts/attempts.ts';
import { Gate } from './attempts/gate.ts';
import { KeyAuthenticator, RevocationWatch } from './authenticate/index.ts';
import { YoungChargeWaits } from './billing/young-charge.ts';
import { BufferBudget } from './buffers/buffer-budget.ts';
import { GarbageCollection } from './buffers/collect-garbage.ts';
import type { IngressConfig } from './config.ts';
import { CreditDesk } from './credit/index.ts';
import type { Dependencies } from './dependencies.ts';
import { OpenCalls } from './exchange/open-calls.ts';
import { ItemCipher } from './items/item-cipher.ts';
import { ItemStore } from './items/item-store.ts';
import { KeyUse } from './key-use/key-use.ts';
import { Limiter } from './limits/index.ts';
import { Metrics } from './metrics/metrics.ts';
import { OutcomeReporter } from './routes/outcome-reporter.ts';
import { RouteWatch } from './routes/route-watch.ts';
import { UpstreamClient } from './upstream/call.ts';
import { CredentialReader } from './upstream/credentials.ts';

const OUTCOMES_GRACE_MS = 1_000;
/** Bodies and whole answers up to these sizes are never kept waiting by large ones of others. */
const SMALL_BODY_BYTES = 16 * 1024;
const SMALL_ANSWER_BYTES = 64 * 1024;
const KEY_USE_DEADLINE_MS = 2_000;

/** Everything the endpoints work with, and how it starts and stops. */
export interface Parts {
  deps: Dependencies;
  start: () => Promise<void>;
  /** Readiness is withdrawn; requests are still served. */
  setStopping: () => void;
  stop: () => Promise<void>;
}

/** Connects the parts of the ingress with each other and with the other services. */
export function wire(config: IngressConfig, logger: Logger): Parts {
  const watcherId = newId();
  const tls = grpcTls(config);
  const auth = createGrpcClient(AuthServiceClient, config.AUTH_ADDRESS, tls);
  const ledger = createGrpcClient(LedgerServiceClient, config.LEDGER_ADDRESS, tls);
  const router = createGrpcClient(RouterServiceClient, config.ROUTER_ADDRESS, tls);
  const redis = createRedis(
    { url: config.REDIS_URL, connectionName: 'tollgate-ingress', commandTimeoutMs: config.REDIS_TIMEOUT_MS },
    logger,
  );
  const revocations = new RevocationWatch({ auth, watcherId, logger });
  const authenticator = new KeyAuthenticator({ auth, redis, revocations, serviceName: config.SERVICE_NAME, logger });
  const limiter = new Limiter({
    redis,
    processName: watcherId,
    logger,
    maxOpen: config.MAX_OPEN_REQUESTS,
    maxOpenPerAccount: config.MAX_OPEN_REQUESTS_PER_ACCOUNT,
  });
  const metrics = new Metrics();
  const attempts = new Attempts({
    logger,
    count: (reason) => metrics.failedAuthentication(reason),
    burst: config.FAILED_ATTEMPTS_BURST,
  });
  const gate = new Gate({
    attempts,
    proxies: config.TRUSTED_PROXIES,
    authenticator,
    serviceName: config.SERVICE_NAME,
  });
  const keyUse = new KeyUse({
    tell: (uses) => unaryCall(auth.reportKeyUse.bind(auth), { uses }, { deadlineMs: KEY_USE_DEADLINE_MS }),
    intervalMs: config.KEY_USE_INTERVAL_MS,
    logger,
  });
  const credit = new CreditDesk({
    ledger,
    journalDir: config.JOURNAL_DIR,
    journalMaxBytes: config.JOURNAL_MAX_BYTES,
    ingressName: config.INGRESS_NAME,
    logger,
    limits: { settleBeforeEndMs: config.SETTLE_BEFORE_END_MS },
  });
  const routes = new RouteWatch(router, watcherId, logger);
  const outcomes = new OutcomeReporter(router, logger);
  const upstream = new UpstreamClient();
  const garbage = new GarbageCollection();
  const onReleased = (bytes: number) => garbage.released(bytes);
  const requestBuffers = new BufferBudget(config.MAX_BUFFERED_BYTES, { smallBytes: SMALL_BODY_BYTES, onReleased });
  const answerBuffers = new BufferBudget(config.MAX_BUFFERED_BYTES / 2, { smallBytes: SMALL_ANSWER_BYTES, onReleased });
  let stopping = false;
  const parts = {
    routes: () => routes.table !== undefined,
    credit: () => credit.ready(),
    clock: () => credit.clockProblem() === undefined,
    keys: () => revocations.ready,
  };
  const deps: Dependencies = {
    config,
    logger,
    authenticator,
    gate,
    keyUse,
    limiter,
    routes,
    outcomes,
    credit,
    ledger,
    upstream,
    openCalls: new OpenCalls(),
    credentials: new CredentialReader(process.env, Date.now),
    youngCharges: new YoungChargeWaits(config.MAX_REQUEST_MS),
    metrics,
    requestBuffers,
    answerBuffers,
    items: openItemStore(config, redis),
    problem: () => (stopping ? 'stopping' : (credit.clockProblem() ?? missing(parts))),
  };
  metrics.gauge(
    'tollgate.journal.records',
    'Charges in the journal that the ledger has not acknowledged.',
    () => credit.stats().journalRecords,
  );
  metrics.gauge('tollgate.journal.size', 'Bytes of the charge journal.', () => credit.stats().journalBytes);
  metrics.gauge(
    'tollgate.journal.filled',
    'Share of the charge journal that is taken by what the ledger has not acknowledged, 0 to 1.',
    () => credit.stats().journalFilled,
  );
  metrics.gauge(
    'tollgate.journal.damaged',
    'Copies of damaged segments in the folder of the charge journal.',
    () => credit.stats().journalDamaged,
  );
  metrics.gauge(
    'tollgate.clock.ahead',
    "Milliseconds that this clock is ahead of the ledger database's, below 0 behind it; 0 within a round trip.",
    () => credit.stats().clockAheadMs,
  );
  metrics.readiness(parts);
  metrics.gauge('tollgate.open_requests', 'Requests under way that a key has admitted.', () => limiter.openRequests);
  metrics.buffered({ request: () => requestBuffers.usedBytes, answer: () => answerBuffers.usedBytes });
  metrics.gauge('tollgate.leases', 'Accounts with a credit lease here.', () => credit.stats().leases);
  return {
    deps,
    start: async () => {
      routes.start();
      keyUse.start();
      attempts.start();
      limiter.start();
      revocations.start();
      await credit.start();
    },
    setStopping: () => {
      stopping = true;
    },
    stop: async () => {
      await Promise.all([outcomes.stop(OUTCOMES_GRACE_MS), keyUse.stop()]);
      limiter.stop();
      attempts.stop();
      await Promise.all([routes.stop(), revocations.stop(), upstream.close()]);
      redis.disconnect();
      for (const client of [auth, ledger, router]) client.close();
    },
  };
}

function openItemStore(config: IngressConfig, redis: RedisClient): ItemStore | undefined {
  const { ITEM_STORE_KEY: keys, ITEM_STORE_LIFE_MS: lifeMs } = config;
  return keys === undefined ? undefined : new ItemStore({ redis, cipher: new ItemCipher(keys), lifeMs, now: Date.now });
}

/** Names the parts that cannot serve yet, or no more. */
function missing(parts: Record<string, () => boolean>): string | undefined {
  const names = Object.entries(parts).flatMap(([name, isReady]) => (isReady() ? [] : [name]));
  return names.length === 0 ? undefined : `without ${names.join(', ')}`;
}
