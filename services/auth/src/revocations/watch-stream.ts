import type { ServerDuplexStream } from '@grpc/grpc-js';
import { RpcError } from '@tollgate/common/errors';
import { type OpenStreams, type ServerStream, serveMessages } from '@tollgate/common/grpc/server-stream';
import { isUuid } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { WatchRevocationsRequest, WatchRevocationsResponse } from '@tollgate/proto/auth';
import { listRevocations } from '../store/revocations.ts';
import { recordHeartbeat, removeWatcher } from '../store/watchers.ts';

/** Maximum revocations in one message. */
const BATCH = 1_000;
/** Maximum length of the name of an ingress. */
const MAX_NAME = 200;
/** Maximum pings of one stream that wait for the database. */
const MAX_IN_FLIGHT = 100;

export interface WatchStreamOptions {
  call: ServerDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse>;
  pool: Pool;
  logger: Logger;
  open: OpenStreams;
  trustMs: number;
  pingIntervalMs: number;
  onClose: () => void;
}

/**
 * One open WatchRevocations call. Pings and pushes are handled one after the other. Of pings that arrive meanwhile only the
 * last is kept, because it includes the earlier ones.
 */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  readonly #stream: ServerStream<WatchRevocationsResponse>;
  /** The last revocation sent; undefined until the first ping reports where to start. */
  #sent: bigint | undefined;
  #ping: WatchRevocationsRequest | undefined;
  #dirty = false;
  #left = false;
  #lastPingAt = performance.now();
  #work: Promise<void> | undefined;

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    const { call, logger, open } = options;
    this.#stream = serveMessages(call, {
      name: 'WatchRevocations',
      logger,
      open,
      isOutage: (error) => !(error instanceof RpcError),
      maxInFlight: MAX_IN_FLIGHT,
      handle: (request) => this.#receive(request),
    });
    this.#stream.gone.addEventListener('abort', options.onClose, { once: true });
  }

  /** Whether its first ping has named the ingress. */
  get isIdentified(): boolean {
    return this.#sent !== undefined;
  }

  /** Sends what has been revoked since. */
  wake(): void {
    this.#dirty = true;
    this.#stream.runAside(this.#run());
  }

  /** Resolves once no write to the database is in progress. */
  async settled(): Promise<void> {
    await this.#work?.catch(() => undefined);
  }

  /** Ends the call of a client that has vanished. */
  cutIfSilentSince(time: number): void {
    if (this.#lastPingAt < time) this.#stream.fail(new RpcError('aborted', 'no ping for too long'));
  }

  async #receive(request: WatchRevocationsRequest): Promise<void> {
    if (!isUuid(request.watcherId) || request.ping < 1n || request.appliedSequence < 0n) {
      throw new RpcError(
        'invalid_argument',
        'watcher_id: must be a UUID, with ping from 1 and applied_sequence from 0',
      );
    }
    this.#lastPingAt = performance.now();
    this.#sent ??= request.appliedSequence;
    this.#ping = request;
    await this.#run();
  }

  /** Whether there is something to do, now that the first ping has come. */
  get #isPending(): boolean {
    if (this.#left || this.#stream.gone.aborted || this.#sent === undefined) return false;
    return this.#ping !== undefined || this.#dirty;
  }

  /** Does what is pending, with whatever is added meanwhile. */
  async #run(): Promise<void> {
    if (this.#work === undefined && this.#isPending) this.#work = this.#drain();
    await this.#work;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#isPending) await this.#step();
    } finally {
      this.#work = undefined;
    }
  }

  async #step(): Promise<void> {
    const { pool, trustMs } = this.#options;
    const ping = this.#ping;
    this.#ping = undefined;
    this.#dirty = false;
    if (ping?.leaving) {
      this.#left = true;
      await removeWatcher(pool, ping.watcherId);
      this.#stream.end();
      return;
    }
    // The heartbeat is written before the revocations are read: a deletion that commits after this read finds the
    // heartbeat and waits; one that committed before it is in the result.
    if (ping !== undefined) await recordHeartbeat(pool, { ...ping, ingressName: nameOf(ping), trustMs });
    await this.#send(ping?.ping ?? 0n);
  }

  async #send(ping: bigint): Promise<void> {
    for (;;) {
      const revocations = await listRevocations(this.#options.pool, this.#sent ?? 0n, BATCH);
      if (this.#stream.gone.aborted) return;
      this.#sent = revocations.at(-1)?.sequence ?? this.#sent;
      const complete = revocations.length < BATCH;
      // Only the last message confirms the ping, because everything before it has then been sent.
      if (revocations.length > 0 || (complete && ping > 0n)) this.#write(revocations, complete ? ping : 0n);
      if (complete) return;
    }
  }

  #write(revocations: WatchRevocationsResponse['revocations'], ping: bigint): void {
    const { trustMs, pingIntervalMs } = this.#options;
    void this.#stream.send({
      revocations,
      ping,
      trustMs: BigInt(trustMs),
      pingIntervalMs: BigInt(pingIntervalMs),
    });
  }
}

/** The name of an ingress, for display: an unusable one must not end its stream. */
function nameOf({ ingressName }: WatchRevocationsRequest): string {
  return ingressName.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_NAME);
}
