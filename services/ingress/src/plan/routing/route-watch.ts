import type { ClientReadableStream } from '@grpc/grpc-js';
import { traceMetadata } from '@tollgate/common/grpc/client';
import { ReconnectingStream } from '@tollgate/common/grpc/reconnecting-stream';
import type { Logger } from '@tollgate/common/logging';
import type { RouterServiceClient, RouteTable as WireTable } from '@tollgate/proto/router';
import { RouteTable } from '../../shared/catalogue/route-table.ts';

const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 5_000;

/**
 * Keeps the latest route table. The router streams complete tables; while it is unavailable the last one stays in use.
 */
export class RouteWatch {
  readonly #stream: ReconnectingStream<WireTable, ClientReadableStream<WireTable>>;
  readonly #logger: Logger;
  readonly #changed: ((table: RouteTable) => void) | undefined;
  #table: RouteTable | undefined;
  /** Whether the stream in use has sent a table. */
  #received = false;
  /** Whether the router was reported as unavailable and has sent nothing since. */
  #isUnavailable = false;

  /** @param changed called with each new table */
  constructor(router: RouterServiceClient, watcherId: string, logger: Logger, changed?: (table: RouteTable) => void) {
    this.#logger = logger;
    this.#changed = changed;
    this.#stream = new ReconnectingStream<WireTable, ClientReadableStream<WireTable>>({
      open: () => router.watchRoutes({ watcherId }, traceMetadata()),
      opened: () => {
        this.#received = false;
      },
      received: (table) => this.#receive(table),
      lost: (reason) => this.#lost(reason),
      minDelayMs: RECONNECT_MIN_MS,
      maxDelayMs: RECONNECT_MAX_MS,
    });
  }

  /** The latest table; undefined until the router was reached once. */
  get table(): RouteTable | undefined {
    return this.#table;
  }

  start(): void {
    this.#stream.start();
  }

  stop(): void {
    this.#stream.stop()?.cancel();
  }

  #receive(wire: WireTable): void {
    this.#received = true;
    this.#isUnavailable = false;
    this.#stream.reset();
    this.#table = new RouteTable(wire);
    this.#changed?.(this.#table);
    this.#logger.info({ version: wire.version, models: wire.models.length }, 'route table received');
  }

  /** Streams break when their connection is renewed. Only a router that cannot be reached is logged, and only once. */
  #lost(reason: string): void {
    if (this.#received || this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#logger.warn({ reason }, 'the router is unavailable; the last route table stays in use');
  }
}
