import type { HeldCredit, SessionOpened } from '@tollgate/proto/ledger';
import { type Clock, type Instant, instantOf } from '../journal/clock.ts';

export interface SentHeartbeat {
  sequence: bigint;
  at: Instant;
  held: HeldCredit[];
}

/** Heartbeats that may be unanswered at a time; older ones are forgotten. */
const UNANSWERED_LIMIT = 16;

/** Part of the session's time to live that is kept as a margin. */
const MARGIN_DIVISOR = 10;

/** When a session was last confirmed, and so how long holds may be made under it. */
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

  /** Whether the session was ever opened. */
  get begun(): boolean {
    return this.#confirmed !== undefined;
  }

  now(): Instant {
    return instantOf(this.#clock);
  }

  /** Takes the ledger's terms. The first opening counts as a heartbeat sent when it was asked for. */
  opened(terms: SessionOpened, askedAt: Instant): void {
    this.#ttlMs = Number(terms.sessionTtlMs);
    this.#intervalMs = Math.max(10, Number(terms.heartbeatIntervalMs));
    this.#confirmed ??= askedAt;
  }

  /** Records a heartbeat about to be sent. @returns its sequence */
  sent(held: HeldCredit[]): bigint {
    this.#sequence += 1n;
    this.#unanswered.push({ sequence: this.#sequence, at: this.now(), held });
    if (this.#unanswered.length > UNANSWERED_LIMIT) this.#unanswered.shift();
    return this.#sequence;
  }

  /** Takes an acknowledgement. @returns the heartbeat it confirms; undefined for one that is not awaited */
  acknowledged(sequence: bigint): SentHeartbeat | undefined {
    const index = this.#unanswered.findIndex((heartbeat) => heartbeat.sequence === sequence);
    const heartbeat = this.#unanswered[index];
    if (heartbeat === undefined) return undefined;
    this.#unanswered.splice(0, index + 1);
    this.#confirmed = heartbeat.at;
    return heartbeat;
  }

  /** Forgets what was sent over a stream that is gone: its answers cannot come. */
  streamLost(): void {
    this.#unanswered = [];
  }

  /** How long the oldest unanswered heartbeat has waited. */
  silentMs(): number {
    const [oldest] = this.#unanswered;
    return oldest === undefined ? 0 : this.#clock.monotonicMs() - oldest.at.monotonicMs;
  }

  /**
   * Whether a hold may be made: the last confirmed heartbeat was sent less than the time to live ago, with a margin. Both
   * clocks count, as the monotonic one stands still while a machine is paused.
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
