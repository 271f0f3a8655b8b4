import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@tollgate/common/errors';
import { traceMetadata } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import type { RouterServiceClient, RouteTable as WireTable } from '@tollgate/proto/router';
import { apiErrors } from '../errors/api-error.ts';
import { RouteTable } from './route-table.ts';

const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 5_000;

/**
 * Holds the newest route table. The router streams it whole; while the router is out of reach the last one stays in use,
 * so that requests go on.
 */
export class RouteWatch {
  readonly #router: RouterServiceClient;
  readonly #watcherId: string;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  #table: RouteTable | undefined;
  /** Whether the last stream that was opened brought nothing. */
  #outOfReach = false;
  #loop: Promise<void> | undefined;

  constructor(router: RouterServiceClient, watcherId: string, logger: Logger) {
    this.#router = router;
    this.#watcherId = watcherId;
    this.#logger = logger;
  }

  /** The newest table; undefined until the router has been reached once. */
  get table(): RouteTable | undefined {
    return this.#table;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    let pause = RECONNECT_MIN_MS;
    while (!signal.aborted) {
      const received = await this.#watchOnce(signal);
      pause = received ? RECONNECT_MIN_MS : Math.min(pause * 2, RECONNECT_MAX_MS);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Follows one stream to its end; tells whether it brought anything. */
  #watchOnce(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      let received = false;
      const call = this.#router.watchRoutes({ watcherId: this.#watcherId }, traceMetadata());
      const cancel = () => call.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      const finish = () => {
        signal.removeEventListener('abort', cancel);
        resolve(received);
      };
      call.on('data', (wire: WireTable) => {
        received = true;
        this.#outOfReach = false;
        this.#table = new RouteTable(wire);
        this.#logger.info({ version: wire.version, models: wire.models.length }, 'route table received');
      });
      call.on('error', (error: unknown) => {
        this.#noteLoss(signal, received, messageOf(error));
        finish();
      });
      call.on('end', finish);
    });
  }

  /** Streams break now and then, when their connection is renewed; a router that cannot be reached is told of once. */
  #noteLoss(signal: AbortSignal, received: boolean, reason: string): void {
    if (signal.aborted || received || this.#outOfReach) return;
    this.#outOfReach = true;
    this.#logger.warn({ reason }, 'the router is out of reach; the last route table stays in use');
  }
}

/** The route table of a watch; throws 503 while the router has not been reached yet. */
export function routeTableOf(watch: RouteWatch): RouteTable {
  if (watch.table === undefined) throw apiErrors.unavailable('The model catalogue');
  return watch.table;
}
