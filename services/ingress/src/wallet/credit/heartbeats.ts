import { type Clock, type Instant, instantOf } from '@tollgate/common/clock';
import type { HeldCredit, SessionOpened } from '@tollgate/proto/ledger';

export interface SentHeartbeat {
  sequence: bigint;
  at: Instant;
  held: HeldCredit[];
}

/** Unanswered heartbeats that are remembered; older ones are dropped. */
const MAX_UNANSWERED = 16;

/** The session's time to live divided by this is kept as a safety margin. */
const MARGIN_DIVISOR = 10;

/** Tracks a session's heartbeats, which decide how long holds may be made under it. */
export class Heartbeats {
  readonly #clock: Clock;
  #ttlMs = 0;
  #intervalMs = 1_000;
  #confirmed: Instant | undefined;
  #sequence = 0n;
  #unanswered: SentHeartbeat[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** Whether the session was opened at least once. */
  get everOpened(): boolean {
    return this.#confirmed !== undefined;
  }

  now(): Instant {
    return instantOf(this.#clock);
  }

  /** Stores the ledger's terms. The first opening counts as a heartbeat sent with the request for it. */
  opened(terms: SessionOpened, openSentAt: Instant): void {
    this.#ttlMs = Number(terms.sessionTtlMs);
    this.#intervalMs = Math.max(10, Number(terms.heartbeatIntervalMs));
    this.#confirmed ??= openSentAt;
  }

  /** Records a heartbeat that is about to be sent. @returns its sequence number */
  sent(held: HeldCredit[]): bigint {
    this.#sequence += 1n;
    this.#unanswered.push({ sequence: this.#sequence, at: this.now(), held });
    if (this.#unanswered.length > MAX_UNANSWERED) this.#unanswered.shift();
    return this.#sequence;
  }

  /** Records an acknowledgement. @returns the heartbeat it confirms; undefined for one that is not open */
  acknowledged(sequence: bigint): SentHeartbeat | undefined {
    const index = this.#unanswered.findIndex((heartbeat) => heartbeat.sequence === sequence);
    const heartbeat = this.#unanswered[index];
    if (heartbeat === undefined) return undefined;
    this.#unanswered.splice(0, index + 1);
    this.#confirmed = heartbeat.at;
    return heartbeat;
  }

  /** Drops unanswered heartbeats of a stream that broke. */
  streamLost(): void {
    this.#unanswered = [];
  }

  /** How long the oldest unanswered heartbeat has been open. */
  silentMs(): number {
    const [oldest] = this.#unanswered;
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest.at.monotonicMs;
  }

  /**
   * Whether a hold may be made: the last confirmed heartbeat was sent less than the time to live (less a margin) ago, by
   * both clocks, since the monotonic clock may stand still while a machine is suspended.
   */
  alive(): boolean {
    if (this.#confirmed === undefined) return false;
    const limit = this.#ttlMs - this.#ttlMs / MARGIN_DIVISOR;
    return (
      this.#clock.monotonicMs() - this.#confirmed.monotonicMs < limit &&
      this.#clock.wallMs() - this.#confirmed.wallMs < limit
    );
  }
}
