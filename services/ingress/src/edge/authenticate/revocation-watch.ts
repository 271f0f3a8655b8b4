import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type Clock, type Instant, instantOf, systemClock } from '@tollgate/common/clock';
import { ReconnectingStream } from '@tollgate/common/grpc/reconnecting-stream';
import type { Logger } from '@tollgate/common/logging';
import type {
  AuthServiceClient,
  Revocation,
  WatchRevocationsRequest,
  WatchRevocationsResponse,
} from '@tollgate/proto/auth';
import type { KeyOwner } from '../../shared/request/request-context.ts';
import { RevokedKeys } from './revoked-keys.ts';
import { createTrustMetrics, Trust } from './trust.ts';

type Call = ClientDuplexStream<WatchRevocationsRequest, WatchRevocationsResponse>;

const FIRST_PING_INTERVAL_MS = 500;
const MIN_PING_INTERVAL_MS = 20;
const MAX_PING_INTERVAL_MS = 30_000;
/** A stream is replaced once a ping stays unanswered for this many intervals, or round trips. */
const PATIENCE_INTERVALS = 2.5;
const PATIENCE_ROUND_TRIPS = 3;
/** The patience doubles with each stream replaced, up to this. */
const MAX_PATIENCE_MS = 30_000;
/** Decay of the highest round trip from one ping to the next. */
const ROUND_TRIP_DECAY = 0.9;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;
/** A stream that is back within this time is not logged: connections are renewed every few minutes. */
const QUIET_LOSS_MS = 2_000;
/** How long a stopping process waits until auth has received its goodbye. */
const GOODBYE_MS = 1_000;

export interface RevocationWatchOptions {
  auth: Pick<AuthServiceClient, 'watchRevocations'>;
  /** Identifies this process: a UUID. */
  watcherId: string;
  /** Name of this process, for operators. */
  ingressName: string;
  logger: Logger;
  clock?: Clock;
}

/**
 * Keeps the stream of revocations open and reports whether it can be relied on. Cached keys are trusted for a while after
 * the moment at which an answered ping was sent: up to that moment every revocation is known here, and from then on auth
 * lets no deletion return before this process has confirmed it.
 */
export class RevocationWatch {
  /** The changes observed. */
  readonly revoked = new RevokedKeys();
  readonly #options: RevocationWatchOptions;
  readonly #clock: Clock;
  readonly #trust: Trust;
  /** When each unanswered ping of the current stream was sent. */
  readonly #pings = new Map<bigint, Instant>();
  readonly #stream: ReconnectingStream<WatchRevocationsResponse, Call>;
  #pingTimer: NodeJS.Timeout | undefined;
  #trustTimer: NodeJS.Timeout | undefined;
  readonly #recordTrust: () => void;
  #lastPing = 0n;
  #applied = 0n;
  #confirmed = false;
  #stopped = false;
  #pingIntervalMs = FIRST_PING_INTERVAL_MS;
  #connectedAtMs = 0;
  #roundTripMs = 0;
  /** Streams replaced since one last worked. */
  #replaced = 0;
  /** Runs while the stream is lost and that is not logged yet. */
  #lossTimer: NodeJS.Timeout | undefined;
  #lost = false;
  #generation = 0;
  #changed: () => void = () => undefined;

  constructor(options: RevocationWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#trust = new Trust(this.#clock);
    this.#recordTrust = createTrustMetrics(() => this.trusted());
    this.#stream = new ReconnectingStream<WatchRevocationsResponse, Call>({
      open: () => options.auth.watchRevocations(),
      opened: (call) => {
        this.#connectedAtMs = this.#clock.monotonicMs();
        this.#pings.clear();
        this.#ping(call);
      },
      received: (message, call) => this.#receive(call, message),
      lost: (reason) => this.#recordLoss(reason),
      minDelayMs: MIN_BACKOFF_MS,
      maxDelayMs: MAX_BACKOFF_MS,
      // Streams that break at once are opened at most once in the longest delay.
      jitter: false,
    });
  }

  /** Whether auth has answered a ping yet. Stays true: requests are served without trust, too. */
  get ready(): boolean {
    return this.#confirmed;
  }

  /**
   * The connection generation, which changes whenever the stream breaks. The auth that is reached next may serve a database
   * that was restored from a backup, which invalidates records of earlier generations.
   */
  get generation(): number {
    return this.#generation;
  }

  /** Every revocation up to this sequence number is known here. */
  get appliedSequence(): bigint {
    return this.#applied;
  }

  start(): void {
    this.#stream.start();
  }

  /** Calls back after changes were applied. There is one callback. */
  onChange(callback: () => void): void {
    this.#changed = callback;
  }

  /** Ends trust, says goodbye to auth, and ends the stream. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#pingTimer);
    clearTimeout(this.#trustTimer);
    clearTimeout(this.#lossTimer);
    this.#recordTrust();
    const call = this.#stream.stop();
    if (call !== undefined) await this.#sayGoodbye(call);
  }

  /** Records whether records are trusted, now and when that ends. A timer that fires early is set again. */
  #updateTrust(): void {
    this.#recordTrust();
    clearTimeout(this.#trustTimer);
    if (!this.trusted()) return;
    this.#trustTimer = setTimeout(() => this.#updateTrust(), this.#trust.leftMs + 1).unref();
  }

  /** Whether cached records may be used now. */
  trusted(): boolean {
    return this.#trust.isValid && !this.#stopped && this.revoked.complete(this.#clock.monotonicMs());
  }

  #recordLoss(reason: string): void {
    this.#generation += 1;
    clearTimeout(this.#pingTimer);
    this.#lossTimer ??= setTimeout(() => {
      this.#lost = true;
      this.#options.logger.warn({ reason }, 'the stream of revocations is lost');
    }, QUIET_LOSS_MS).unref();
  }

  #receive(call: Call, message: WatchRevocationsResponse): void {
    const nowMs = this.#clock.monotonicMs();
    for (const revocation of message.revocations) {
      this.#apply(revocation, nowMs);
      if (revocation.sequence > this.#applied) this.#applied = revocation.sequence;
    }
    this.#pingIntervalMs = Math.min(
      Math.max(Number(message.pingIntervalMs), MIN_PING_INTERVAL_MS),
      MAX_PING_INTERVAL_MS,
    );
    if (message.ping > 0n) this.#confirm(message.ping, Number(message.trustMs));
    if (message.revocations.length === 0 || this.#stopped) return;
    // A deletion waits for this confirmation.
    this.#ping(call);
    this.#changed();
  }

  /** Reports that nothing is trusted here any more; resolves once auth has closed the stream, or after a time limit. */
  #sayGoodbye(call: Call): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        call.cancel();
        resolve();
      }, GOODBYE_MS);
      call.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#send(call, true);
      call.end();
    });
  }

  #apply({ what, deadKeyId, deadAccountId }: Revocation, nowMs: number): void {
    switch (what?.$case) {
      case 'deadKeySha256':
        this.revoked.add(what.value.toString('hex'), nowMs, ownerOf(deadKeyId, deadAccountId));
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
    this.#replaced = 0;
    this.#updateTrust();
    // Streams that break right after they open keep backing off.
    if (nowMs - this.#connectedAtMs > MAX_BACKOFF_MS) this.#stream.reset();
    this.#confirmed = true;
    clearTimeout(this.#lossTimer);
    this.#lossTimer = undefined;
    if (this.#lost) this.#options.logger.info('the stream of revocations is back');
    this.#lost = false;
  }

  /**
   * How long a ping may stay unanswered before the stream is replaced. It does not affect trust, which counts from answered
   * pings. Without it, a process whose round trip exceeds a few intervals would replace every stream just before its first
   * answer.
   */
  get #patienceMs(): number {
    const usual = Math.max(this.#pingIntervalMs * PATIENCE_INTERVALS, this.#roundTripMs * PATIENCE_ROUND_TRIPS);
    return Math.max(this.#pingIntervalMs * PATIENCE_INTERVALS, Math.min(usual * 2 ** this.#replaced, MAX_PATIENCE_MS));
  }

  #ping(call: Call): void {
    clearTimeout(this.#pingTimer);
    const [oldest] = this.#pings.values();
    if (oldest !== undefined && this.#clock.monotonicMs() - oldest.monotonicMs > this.#patienceMs) {
      this.#replaced += 1;
      this.#stream.restart('auth does not respond to pings');
      return;
    }
    this.#send(call, false);
    this.#pingTimer = setTimeout(() => this.#ping(call), this.#pingIntervalMs);
  }

  #send(call: Call, leaving: boolean): void {
    this.#lastPing += 1n;
    // Recorded before it is written: trust counts from sending, and may only be too short.
    this.#pings.set(this.#lastPing, instantOf(this.#clock));
    call.write({
      watcherId: this.#options.watcherId,
      ping: this.#lastPing,
      appliedSequence: this.#applied,
      leaving,
      ingressName: this.#options.ingressName,
    });
  }
}

/** @param keyId empty from an auth that does not report it */
function ownerOf(keyId: string, accountId: string): KeyOwner | undefined {
  return keyId === '' ? undefined : { keyId, keyName: '', accountId };
}
