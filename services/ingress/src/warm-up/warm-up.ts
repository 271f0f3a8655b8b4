import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listen, stopListening } from '@tollgate/common/http-server';
import { newAccountTag, newKey } from '@tollgate/common/keys/index';
import { createLogger, type Logger } from '@tollgate/common/logging';
import type { IngressConfig } from '../config.ts';
import { createDependencies, type ManagedDependencies } from '../dependencies.ts';
import type { StoppableCall } from '../exchange/open-calls.ts';
import { createServer } from '../server.ts';
import { warmUpRequests } from './requests.ts';
import { sendRequests } from './send-requests.ts';
import { standInKey, standInRoutes } from './stand-in-catalogue.ts';
import { startStandInProvider } from './stand-in-provider.ts';
import { startStandInServices } from './stand-in-services.ts';

/** Requests in progress at the same time. */
const CONNECTIONS = 8;
/** Few, because the first request of a connection meets other objects than later ones. */
const REQUESTS_PER_CONNECTION = 10;
/** After each so many requests, those in progress become examples. */
const REQUESTS_PER_EXAMPLES = 500;
/** On a slow machine no further request is sent after this time, */
const ENOUGH_MS = 10_000;
/** and one that is still open after this is aborted. */
const LIMIT_MS = 15_000;
const READY_POLL_MS = 5;
/** How long stopping waits for what is open. */
const STOP_MS = 1_000;

/**
 * Calls of the warm-up that stay in memory as long as the process, with the requests, responses and sockets that they refer to.
 * A collection of garbage frees the hidden classes that no object has at the moment, and V8 then discards the optimized
 * code that expects them: an idle process would lose most of what the warm-up was for.
 */
const examples: StoppableCall[] = [];

/**
 * Serves `WARM_UP_REQUESTS` requests of its own, so that V8 has optimized the code of requests before the process is ready: by another
 * ingress in this process, whose services and provider are stand-ins. It shares nothing with the real one but the code, and
 * Redis, from which it only reads. Called before telemetry starts, so that nothing of it is measured or traced.
 *
 * A failure is logged: without a warm-up, the first requests take longer.
 */
export async function warmUp(config: IngressConfig, logger: Logger): Promise<void> {
  const startedAt = performance.now();
  try {
    const requests = await serveRequests(config);
    logger.info({ requests, duration_ms: Math.round(performance.now() - startedAt) }, 'warmed up');
  } catch (error) {
    logger.warn({ err: error }, 'the warm-up failed: the first requests will take longer');
  }
}

/** Returns how many requests were served. */
async function serveRequests(config: IngressConfig): Promise<number> {
  await using stops = new AsyncDisposableStack();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const enoughAt = performance.now() + ENOUGH_MS;
  const provider = await startStandInProvider();
  stops.defer(provider.stop);
  const accountTag = newAccountTag();
  const services = await startStandInServices({
    key: standInKey(accountTag),
    routes: standInRoutes(provider.baseUrl),
  });
  stops.defer(services.stop);
  const dependencies = await startDependencies(config, services.address, stops);
  const server = createServer(dependencies);
  const port = await listen(server, '127.0.0.1', 0);
  stops.defer(() => stopListening(server, { lingerMs: 0, graceMs: STOP_MS }));
  stops.defer(() => dependencies.sockets.stop({ lingerMs: 0, graceMs: STOP_MS }));
  while (dependencies.problem() !== undefined) await delay(READY_POLL_MS, undefined, { signal });

  const { text: secret } = newKey(config.SERVICE_NAME, accountTag);
  const requests = warmUpRequests(secret);
  let sent = 0;
  const isOver = () => sent >= config.WARM_UP_REQUESTS || performance.now() > enoughAt;
  function* next() {
    for (let left = REQUESTS_PER_CONNECTION; left > 0 && !isOver(); left -= 1) {
      sent += 1;
      if (sent % REQUESTS_PER_EXAMPLES === 0) examples.push(...dependencies.openCalls.list());
      yield requests[sent % requests.length] ?? '';
    }
  }
  const sendUntilOver = async () => {
    while (!isOver()) await sendRequests(port, next(), signal);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendUntilOver));
  return sent;
}

/** Starts an ingress that calls the stand-ins, logs nothing, and has a journal of its own. */
async function startDependencies(
  config: IngressConfig,
  address: string,
  stops: AsyncDisposableStack,
): Promise<ManagedDependencies> {
  const folder = join(config.JOURNAL_DIR, 'warm-up');
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  // A process that was killed in its warm-up left one behind.
  await removeFolder();
  stops.defer(removeFolder);
  const own: IngressConfig = {
    ...config,
    AUTH_ADDRESS: address,
    LEDGER_ADDRESS: address,
    ROUTER_ADDRESS: address,
    GRPC_TLS_CERT_FILE: undefined,
    GRPC_TLS_KEY_FILE: undefined,
    GRPC_TLS_CA_FILE: undefined,
    JOURNAL_DIR: folder,
    LOG_LEVEL: 'silent',
  };
  const dependencies = createDependencies(own, createLogger('ingress', 'silent'));
  stops.defer(() => dependencies.stop());
  stops.defer(() => dependencies.credit.drain(STOP_MS, () => dependencies.openCalls.stopAll()));
  await dependencies.start();
  return dependencies;
}
