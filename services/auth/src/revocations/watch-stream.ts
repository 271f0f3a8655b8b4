import type { ServerDuplexStream } from '@grpc/grpc-js';
import { messageOf, RpcError, toGrpcStatus } from '@tollgate/common/errors';
import { isUuid } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { ChangesVersion, type WatchRevocationsRequest, type WatchRevocationsResponse } from '@tollgate/proto/auth';
import { listRevocations } from '../store/list-revocations.ts';
import { recordHeartbeat } from '../store/record-heartbeat.ts';
import { removeWatcher } from '../store/remove-watcher.ts';

/** Revocations in one message. */
const BATCH = 1_000;

export interface WatchStreamOptions {
  call: ServerDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse>;
  pool: Pool;
  logger: Logger;
  trustMs: number;
  pingIntervalMs: number;
  onClose: () => void;
}

/**
 * One open WatchRevocations call. Pings and pushes are handled one after the other; of pings that arrive meanwhile only
 * the last is kept, since it says everything the earlier ones did.
 */
export class WatchStream {
  readonly #options: WatchStreamOptions;
  /** The last revocation sent; undefined until the first ping says where to begin. */
  #sent: bigint | undefined;
  #ping: WatchRevocationsRequest | undefined;
  #version: number | undefined;
  #dirty = false;
  #closed = false;
  #heardAt = performance.now();
  #work: Promise<void> | undefined;

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    const { call } = options;
    call.on('data', (request: WatchRevocationsRequest) => this.#receive(request));
    // What was said before the end still counts, a farewell above all.
    call.on('end', () => void this.end());
    call.on('cancelled', () => this.#close());
    call.on('error', () => this.#close());
  }

  /** What the watcher follows; undefined until it has said so. */
  get version(): number | undefined {
    return this.#version;
  }

  /** Sends what has been revoked since. */
  wake(): void {
    this.#dirty = true;
    this.#run();
  }

  /** Ends the call after what runs. */
  async end(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
    this.#finish();
  }

  /** Ends the call of a client that is gone without a word. */
  cutIfSilentSince(time: number): void {
    if (this.#heardAt < time) this.#fail(new RpcError('aborted', 'no ping came for too long'));
  }

  #receive(request: WatchRevocationsRequest): void {
    if (!isUuid(request.watcherId) || request.ping < 1n || request.appliedSequence < 0n) {
      this.#fail(new RpcError('invalid_argument', 'watcher_id must be a UUID, ping from 1, applied_sequence from 0'));
      return;
    }
    this.#heardAt = performance.now();
    this.#sent ??= request.appliedSequence;
    this.#ping = request;
    this.#version = request.version;
    this.#run();
  }

  #run(): void {
    if (this.#work !== undefined || this.#closed) return;
    this.#work = this.#drain()
      .catch((error: unknown) => {
        this.#options.logger.warn({ reason: messageOf(error) }, 'a watch of revocations failed');
        this.#fail(new RpcError('unavailable', 'the database did not answer'));
      })
      .finally(() => {
        this.#work = undefined;
        if (this.#ping !== undefined || this.#dirty) this.#run();
      });
  }

  async #drain(): Promise<void> {
    const { pool, trustMs } = this.#options;
    while (!this.#closed && this.#sent !== undefined && (this.#ping !== undefined || this.#dirty)) {
      const ping = this.#ping;
      this.#ping = undefined;
      this.#dirty = false;
      if (ping?.leaving) {
        await removeWatcher(pool, ping.watcherId);
        this.#finish();
        return;
      }
      // The heartbeat is in the database before the revocations are read. A deletion that commits after this reading
      // then finds the heartbeat and waits; one that committed before it is in the reading.
      if (ping !== undefined) await recordHeartbeat(pool, { ...ping, trustMs });
      await this.#send(ping?.ping ?? 0n);
    }
    if (this.#sent === undefined) this.#dirty = false;
  }

  async #send(ping: bigint): Promise<void> {
    for (;;) {
      const revocations = await listRevocations(this.#options.pool, this.#sent ?? 0n, BATCH);
      if (this.#closed) return;
      this.#sent = revocations.at(-1)?.sequence ?? this.#sent;
      const complete = revocations.length < BATCH;
      // Only the last message answers the ping, as only then everything before it has been sent.
      if (revocations.length > 0 || (complete && ping > 0n)) this.#write(revocations, complete ? ping : 0n);
      if (complete) return;
    }
  }

  #write(revocations: WatchRevocationsResponse['revocations'], ping: bigint): void {
    const { call, trustMs, pingIntervalMs } = this.#options;
    call.write({
      revocations,
      ping,
      trustMs: BigInt(trustMs),
      pingIntervalMs: BigInt(pingIntervalMs),
      version: ChangesVersion.REVISIONS,
    });
  }

  #fail(refusal: RpcError): void {
    if (this.#closed) return;
    this.#close();
    this.#options.call.emit('error', toGrpcStatus(refusal));
  }

  #finish(): void {
    if (this.#closed) return;
    this.#close();
    this.#options.call.end();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onClose();
  }
}
