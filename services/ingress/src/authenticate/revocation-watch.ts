import type { ClientDuplexStream } from '@grpc/grpc-js';
import { messageOf } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import {
  type AuthServiceClient,
  ChangesVersion,
  type Revocation,
  type WatchRevocationsRequest,
  type WatchRevocationsResponse,
} from '@tollgate/proto/auth';
import { type Clock, type Instant, instantOf, systemClock } from '../journal/clock.ts';
import { RevokedKeys } from './revoked-keys.ts';
import { Trust } from './trust.ts';
import { createTrustMetrics } from './trust-metrics.ts';

type Stream = ClientDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse>;

const FIRST_PING_INTERVAL_MS = 500;
const LEAST_PING_INTERVAL_MS = 20;
const MOST_PING_INTERVAL_MS = 30_000;
/** A stream on which a ping stays unanswered for this many intervals, or round trips, is given up for a new one. */
const PATIENCE_INTERVALS = 2.5;
const PATIENCE_ROUND_TRIPS = 3;
/** Patience doubles with each stream given up, up to this. */
const MOST_PATIENCE_MS = 30_000;
/** How much of a round trip counts still at the next one: a slow one makes patient for a while. */
const ROUND_TRIP_DECAY = 0.9;
const LEAST_BACKOFF_MS = 50;
const MOST_BACKOFF_MS = 1_000;
/** A stream that is back this soon is not worth a warning: connections are renewed every some minutes. */
const QUIET_LOSS_MS = 2_000;
/** How long a stopping process waits for its farewell to be taken. */
const FAREWELL_MS = 1_000;

export interface RevocationWatchOptions {
  auth: Pick<AuthServiceClient, 'watchRevocations'>;
  /** Names this process, until it takes its leave of an auth: a UUID. */
  watcherId: string;
  logger: Logger;
  clock?: Clock;
}

/**
 * Holds the stream of revocations open and tells whether it can be relied on. Cached keys are trusted for a while after
 * the moment a ping was sent that auth has answered since: up to then every revocation is known here, and from then on
 * auth lets no deletion return before this process has confirmed it.
 */
export class RevocationWatch {
  /** What has been learnt of changed and dead keys. */
  readonly revoked = new RevokedKeys();
  readonly #options: RevocationWatchOptions;
  readonly #clock: Clock;
  readonly #trust: Trust;
  /** When each unanswered ping of the present stream was sent. */
  readonly #pings = new Map<bigint, Instant>();
  #watcherId: string;
  #stream: Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trustTimer: NodeJS.Timeout | undefined;
  readonly #noteTrust: () => void;
  #lastPing = 0n;
  #applied = 0n;
  #confirmed = false;
  #stopped = false;
  #pingIntervalMs = FIRST_PING_INTERVAL_MS;
  #backoffMs = LEAST_BACKOFF_MS;
  #connectedAtMs = 0;
  #roundTripMs = 0;
  /** Streams given up since one has worked. */
  #givenUp = 0;
  /** Runs while the stream is away and that is not told of yet. */
  #lossTimer: NodeJS.Timeout | undefined;
  #lost = false;
  #era = 0;

  constructor(options: RevocationWatchOptions) {
    this.#options = options;
    this.#watcherId = options.watcherId;
    this.#clock = options.clock ?? systemClock;
    this.#trust = new Trust(this.#clock);
    this.#noteTrust = createTrustMetrics(() => this.trusted());
  }

  /**
   * Whether an auth that knows all this version does has confirmed a ping yet. It stays true: requests can be served
   * without trust, too.
   */
  get ready(): boolean {
    return this.#confirmed;
  }

  /**
   * Changes whenever the stream breaks. The auth that is reached next may speak for a database that was restored from a
   * backup, and not know what an earlier one has vouched for.
   */
  get era(): number {
    return this.#era;
  }

  /** Every revocation up to this sequence number is known here. */
  get appliedSequence(): bigint {
    return this.#applied;
  }

  start(): void {
    this.#connect();
  }

  /** Trusts nothing from here on, says so to auth, and ends the stream. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#trustTimer);
    clearTimeout(this.#lossTimer);
    this.#noteTrust();
    if (this.#stream !== undefined) await this.#farewell(this.#stream);
  }

  /** Notes whether records are trusted, now and when that ends. A timer may come early, and is then set again. */
  #watchTrust(): void {
    this.#noteTrust();
    clearTimeout(this.#trustTimer);
    if (!this.trusted()) return;
    this.#trustTimer = setTimeout(() => this.#watchTrust(), this.#trust.leftMs + 1).unref();
  }

  /** Whether cached records may be believed now. */
  trusted(): boolean {
    return this.#trust.isValid && !this.#stopped && this.revoked.complete(this.#clock.monotonicMs());
  }

  #connect(): void {
    const stream = this.#options.auth.watchRevocations();
    this.#stream = stream;
    this.#connectedAtMs = this.#clock.monotonicMs();
    this.#pings.clear();
    stream.on('data', (message: WatchRevocationsResponse) => {
      if (stream === this.#stream) this.#receive(stream, message);
    });
    stream.on('error', (error) => this.#reconnect(stream, messageOf(error)));
    stream.on('end', () => this.#reconnect(stream, 'auth ended the stream'));
    this.#ping(stream);
  }

  #reconnect(stream: Stream, reason: string): void {
    if (stream !== this.#stream) return;
    this.#stream = undefined;
    this.#era += 1;
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#lossTimer ??= setTimeout(() => {
      this.#lost = true;
      this.#options.logger.warn({ reason }, 'the stream of revocations is lost');
    }, QUIET_LOSS_MS).unref();
    this.#timer = setTimeout(() => this.#connect(), this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MOST_BACKOFF_MS);
  }

  #receive(stream: Stream, message: WatchRevocationsResponse): void {
    if (message.version < ChangesVersion.REVISIONS) {
      this.#leave(stream);
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    for (const revocation of message.revocations) {
      this.#learn(revocation, nowMs);
      if (revocation.sequence > this.#applied) this.#applied = revocation.sequence;
    }
    this.#pingIntervalMs = Math.min(
      Math.max(Number(message.pingIntervalMs), LEAST_PING_INTERVAL_MS),
      MOST_PING_INTERVAL_MS,
    );
    if (message.ping > 0n) this.#confirm(message.ping, Number(message.trustMs));
    // A deletion waits for this word.
    if (message.revocations.length > 0 && !this.#stopped) this.#ping(stream);
  }

  /**
   * Leaves an auth of an earlier version, which does not tell of everything, so that its deletions need not wait for this
   * process. Nothing is trusted from here on, since none waits any more; and the next stream has another name, because
   * the farewell may arrive after its first ping.
   */
  #leave(stream: Stream): void {
    this.#trust.end();
    this.#noteTrust();
    void this.#farewell(stream);
    this.#watcherId = newId();
    this.#reconnect(stream, 'auth is of an earlier version');
  }

  /** Says that nothing is trusted any more; resolves when that was taken, or could not be for too long. */
  #farewell(stream: Stream): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        stream.cancel();
        resolve();
      }, FAREWELL_MS);
      stream.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#send(stream, true);
      stream.end();
    });
  }

  #learn({ what }: Revocation, nowMs: number): void {
    switch (what?.$case) {
      case 'deadKeySha256':
        this.revoked.add(what.value.toString('hex'), nowMs);
        break;
      case 'key':
        this.revoked.addChange(what.value.keyId, what.value.revision, nowMs);
        break;
      case 'account':
        this.revoked.addChange(what.value.accountId, what.value.revision, nowMs);
        break;
      case undefined:
        this.revoked.addUnknown(nowMs);
        break;
      default:
        what satisfies never;
    }
  }

  #confirm(ping: bigint, trustMs: number): void {
    const sentAt = this.#pings.get(ping);
    if (sentAt === undefined) return;
    for (const sent of this.#pings.keys()) {
      if (sent <= ping) this.#pings.delete(sent);
    }
    const nowMs = this.#clock.monotonicMs();
    this.#trust.grant(sentAt, trustMs);
    this.#roundTripMs = Math.max(nowMs - sentAt.monotonicMs, this.#roundTripMs * ROUND_TRIP_DECAY);
    this.#givenUp = 0;
    this.#watchTrust();
    // Streams that work for a moment each are not opened at the quickest.
    if (nowMs - this.#connectedAtMs > MOST_BACKOFF_MS) this.#backoffMs = LEAST_BACKOFF_MS;
    this.#confirmed = true;
    clearTimeout(this.#lossTimer);
    this.#lossTimer = undefined;
    if (this.#lost) this.#options.logger.info('the stream of revocations is back');
    this.#lost = false;
  }

  /**
   * How long an answer may take before another stream is tried. It decides on nothing else: trust is counted from pings
   * that were answered, so a patient process trusts no longer than another. Without it one whose round trip takes longer
   * than some intervals would give up every stream just before its first answer.
   */
  get #patienceMs(): number {
    const usual = Math.max(this.#pingIntervalMs * PATIENCE_INTERVALS, this.#roundTripMs * PATIENCE_ROUND_TRIPS);
    return Math.max(this.#pingIntervalMs * PATIENCE_INTERVALS, Math.min(usual * 2 ** this.#givenUp, MOST_PATIENCE_MS));
  }

  #ping(stream: Stream): void {
    clearTimeout(this.#timer);
    const [oldest] = this.#pings.values();
    if (oldest !== undefined && this.#clock.monotonicMs() - oldest.monotonicMs > this.#patienceMs) {
      this.#givenUp += 1;
      this.#reconnect(stream, 'auth does not answer pings');
      stream.cancel();
      return;
    }
    this.#send(stream, false);
    this.#timer = setTimeout(() => this.#ping(stream), this.#pingIntervalMs);
  }

  #send(stream: Stream, leaving: boolean): void {
    this.#lastPing += 1n;
    // Noted before it is written: trust counts from the sending, and may only be too short.
    this.#pings.set(this.#lastPing, instantOf(this.#clock));
    stream.write({
      watcherId: this.#watcherId,
      ping: this.#lastPing,
      appliedSequence: this.#applied,
      leaving,
      version: ChangesVersion.REVISIONS,
    });
  }
}
