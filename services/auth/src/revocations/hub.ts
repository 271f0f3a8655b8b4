import { setTimeout as delay } from 'node:timers/promises';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { Backoff } from '@tollgate/common/backoff';
import { messageOf, RpcError, toGrpcStatus } from '@tollgate/common/errors';
import { OpenStreams } from '@tollgate/common/grpc/server-stream';
import type { Logger } from '@tollgate/common/logging';
import { PostgresListener } from '@tollgate/common/postgres/listener';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { WatchRevocationsRequest, WatchRevocationsResponse } from '@tollgate/proto/auth';
import { removeConfirmations } from '../store/confirmations.ts';
import { lastSequence, REVOCATIONS_CHANNEL, removeRevocations } from '../store/revocations.ts';
import { listUnconfirmed, listWatchers, removeSilentWatchers, type WatcherRow } from '../store/watchers.ts';
import { createRevocationMetrics } from './metrics.ts';
import { SequenceAges } from './sequence-ages.ts';
import { WatchStream } from './watch-stream.ts';
import { WatcherSilence } from './watcher-silence.ts';

/** Maximum streams of one process. */
const MAX_STREAMS = 10_000;
/** How long revocations are kept: ten times the life of a cached record. */
const KEEP_MS = 600_000;
const CLEAN_INTERVAL_MS = 60_000;
/** Delays between two checks whether all watchers have confirmed a change. */
const MIN_WAIT_MS = 5;
const MAX_WAIT_MS = 50;
/** A stream without pings for this many times `trustMs` is ended. */
const SILENT_TRUST_TIMES = 3;

export interface RevocationHubOptions {
  pool: Pool;
  /** For a connection of its own, which listens. */
  databaseUrl: string;
  logger: Logger;
  trustMs: number;
  pingIntervalMs: number;
  /** How often revocations and watchers are read: while the listening connection is down, notifications are lost. */
  pollMs: number;
}

/**
 * Serves the streams of the ingresses connected here, and lets changes wait for the ingresses connected to any replica:
 * confirmations and revocations are in the database, which notifies every replica of a new revocation.
 */
export class RevocationHub {
  readonly #options: RevocationHubOptions;
  readonly #streams = new Set<WatchStream>();
  readonly #open = new OpenStreams();
  readonly #stopping = new AbortController();
  readonly #metrics = createRevocationMetrics(() => this.#watchers());
  readonly #silence: WatcherSilence;
  readonly #ages = new SequenceAges(KEEP_MS);
  #seen = 0n;
  #polling: Promise<void> = Promise.resolve();
  readonly #listener: PostgresListener;

  constructor(options: RevocationHubOptions) {
    this.#options = options;
    this.#silence = new WatcherSilence(options.trustMs);
    const listening = { url: options.databaseUrl, channel: REVOCATIONS_CHANNEL };
    this.#listener = new PostgresListener(
      { ...listening, applicationName: 'tollgate-auth-revocations', received: () => this.wake() },
      options.logger,
    );
  }

  start(): void {
    void this.#listener.start();
    this.#polling = this.#poll();
  }

  /** Ends all streams and waits for what they are writing to the database. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const streams = [...this.#streams];
    this.#open.drain();
    // A notification must start no more work on the streams.
    await Promise.all([this.#listener.stop(), ...streams.map((stream) => stream.settled())]);
    await this.#polling;
  }

  /** Serves one WatchRevocations call. */
  serve(call: ServerDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse>): void {
    if (this.#stopping.signal.aborted || this.#streams.size >= MAX_STREAMS) {
      call.emit(
        'error',
        toGrpcStatus(new RpcError('unavailable', 'this replica accepts no more watchers; call another one')),
      );
      return;
    }
    const { pool, logger, trustMs, pingIntervalMs } = this.#options;
    const stream = new WatchStream({
      call,
      pool,
      logger,
      open: this.#open,
      trustMs,
      pingIntervalMs,
      onClose: () => this.#streams.delete(stream),
    });
    this.#streams.add(stream);
  }

  /** Sends new revocations on all streams now. */
  wake(): void {
    for (const stream of this.#streams) stream.wake();
  }

  /**
   * Waits until every watcher has applied the revocation or can no longer trust cached records.
   *
   * @param sinceMs when the change was committed, by `performance.now`
   * @returns the watchers that have not confirmed it; undefined when the signal aborted first
   */
  async waitUntilApplied(sequence: bigint, sinceMs: number, signal: AbortSignal): Promise<WatcherRow[] | undefined> {
    const silent = await this.#untilApplied(sequence, signal);
    this.#metrics.waited(silent === undefined ? 'unfinished' : 'confirmed', performance.now() - sinceMs);
    return silent;
  }

  async #untilApplied(sequence: bigint, signal: AbortSignal): Promise<WatcherRow[] | undefined> {
    const backoff = new Backoff(MIN_WAIT_MS, MAX_WAIT_MS);
    for (;;) {
      const { live, silent } = await this.#read((pool) => listUnconfirmed(pool, sequence));
      if (live.length === 0) return silent;
      if (signal.aborted) return undefined;
      await delay(backoff.next());
    }
  }

  /** Reads watchers, and separates live from silent ones. */
  async #read(list: (pool: Pool) => Promise<WatcherRow[]>): Promise<ReturnType<WatcherSilence['judge']>> {
    const fromMs = performance.now();
    const rows = await list(this.#options.pool);
    return this.#silence.judge({ rows, fromMs, toMs: performance.now() });
  }

  /** The number of ingresses connected here. */
  #watchers(): number {
    let count = 0;
    for (const { isIdentified } of this.#streams) if (isIdentified) count += 1;
    return count;
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    let cleanedAt = performance.now();
    while (!signal.aborted) {
      const now = performance.now();
      try {
        await this.#pollOnce(now);
        // So that no call waits for watchers that have long been silent.
        await this.#read(listWatchers);
        if (now - cleanedAt > CLEAN_INTERVAL_MS) {
          cleanedAt = now;
          await this.#clean(now);
        }
      } catch (error) {
        this.#options.logger.warn({ reason: messageOf(error) }, 'revocations could not be read');
        await delay(1_000, undefined, { signal }).catch(ignoreAbort);
      }
      await delay(this.#options.pollMs, undefined, { signal }).catch(ignoreAbort);
    }
  }

  async #pollOnce(now: number): Promise<void> {
    if (this.#streams.size === 0) return;
    const silentSince = now - this.#options.trustMs * SILENT_TRUST_TIMES;
    for (const stream of this.#streams) stream.cutIfSilentSince(silentSince);
    const last = await lastSequence(this.#options.pool);
    if (last === this.#seen) return;
    this.wake();
    this.#seen = last;
  }

  /** Removes what no ingress needs any more, by this process's clock: the database's may have jumped. */
  async #clean(nowMs: number): Promise<void> {
    const { pool } = this.#options;
    const { live, silent } = await this.#read(listWatchers);
    if (silent.length > 0) await removeSilentWatchers(pool, silent);
    this.#silence.retain(live);
    const old = this.#ages.note(await lastSequence(pool), nowMs);
    if (old === undefined) return;
    await removeRevocations(pool, old, KEEP_MS);
    await removeConfirmations(pool, old, KEEP_MS);
  }
}

function ignoreAbort(): undefined {
  return undefined;
}
