import { OutcomeKind } from '@tollgate/proto/router';
import {
  CONSECUTIVE_FAILURES,
  CONSECUTIVE_REFUSALS,
  FAILURE_SHARE_PER_MILLE,
  FIRST_PAUSE_MS,
  FIRST_REFUSAL_PAUSE_MS,
  MAX_PAUSE_MS,
  MIN_CALLS_FOR_SHARE,
  TRIAL_SUCCESSES,
} from './limits.ts';
import { OutcomeWindow } from './window.ts';

/** `trial`: back in rotation after a pause, where one failure is enough to take it out again. */
export type HealthPhase = 'healthy' | 'out' | 'trial';

export type OutReason = 'failures' | 'credential_refused';

/** What an outcome means for a deployment. */
type Verdict = 'success' | 'failure' | 'refusal' | 'neutral';

/**
 * The health of one deployment, by the outcomes of its calls. Times are passed in.
 *
 * A rate limit of the provider does not affect health: the deployment works, a limited call tries the next one, and a client
 * whose every choice is limited must get that error, not one that says that there is no such model.
 */
export class DeploymentHealth {
  #phase: HealthPhase = 'healthy';
  #reason: OutReason = 'failures';
  #failuresInRow = 0;
  #refusalsInRow = 0;
  #successesInTrial = 0;
  #pauseMs = 0;
  /** When it went out, or came back on trial. */
  #sinceMs = 0;
  readonly #window = new OutcomeWindow();

  get phase(): HealthPhase {
    return this.#phase;
  }

  get reason(): OutReason {
    return this.#reason;
  }

  get inRotation(): boolean {
    return this.#phase !== 'out';
  }

  /** When it returns on trial; undefined while it is in rotation. */
  get returnsAtMs(): number | undefined {
    return this.#phase === 'out' ? this.#sinceMs + this.#pauseMs : undefined;
  }

  /**
   * Counts the outcome of one call.
   *
   * @param durationMs how long the call took; shows whether it began before the pause, independent of clocks
   */
  record(kind: OutcomeKind, durationMs: number, nowMs: number): void {
    const verdict = verdictOf(kind);
    if (verdict === 'neutral' || this.#phase === 'out') return;
    if (this.#phase === 'trial') this.#recordOnTrial(verdict, nowMs - durationMs, nowMs);
    else this.#recordHealthy(verdict, nowMs);
  }

  /** Brings the deployment back on trial when its pause is over. */
  advance(nowMs: number): void {
    if (this.returnsAtMs === undefined || nowMs < this.returnsAtMs) return;
    this.#phase = 'trial';
    this.#sinceMs = nowMs;
    this.#successesInTrial = 0;
  }

  #recordHealthy(verdict: Exclude<Verdict, 'neutral'>, nowMs: number): void {
    this.#failuresInRow =
      verdict === 'failure' ? this.#failuresInRow + 1 : verdict === 'success' ? 0 : this.#failuresInRow;
    this.#refusalsInRow =
      verdict === 'refusal' ? this.#refusalsInRow + 1 : verdict === 'success' ? 0 : this.#refusalsInRow;
    if (this.#refusalsInRow >= CONSECUTIVE_REFUSALS) {
      this.#takeOut('credential_refused', FIRST_REFUSAL_PAUSE_MS, nowMs);
      return;
    }
    if (verdict === 'refusal') return;
    this.#window.add(verdict === 'failure', nowMs);
    if (verdict === 'failure' && this.#failsTooOften(nowMs)) this.#takeOut('failures', FIRST_PAUSE_MS, nowMs);
  }

  #failsTooOften(nowMs: number): boolean {
    if (this.#failuresInRow >= CONSECUTIVE_FAILURES) return true;
    const { calls, failures } = this.#window.totals(nowMs);
    return calls >= MIN_CALLS_FOR_SHARE && failures * 1_000 >= calls * FAILURE_SHARE_PER_MILLE;
  }

  #recordOnTrial(verdict: Exclude<Verdict, 'neutral'>, startedMs: number, nowMs: number): void {
    // A call from before the pause reports a failure of that time.
    if (startedMs < this.#sinceMs) return;
    if (verdict !== 'success') {
      const reason = verdict === 'refusal' ? 'credential_refused' : 'failures';
      this.#takeOut(reason, Math.min(this.#pauseMs * 2, MAX_PAUSE_MS), nowMs);
      return;
    }
    this.#successesInTrial += 1;
    if (this.#successesInTrial >= TRIAL_SUCCESSES) this.#phase = 'healthy';
  }

  #takeOut(reason: OutReason, pauseMs: number, nowMs: number): void {
    this.#phase = 'out';
    this.#reason = reason;
    this.#pauseMs = pauseMs;
    this.#sinceMs = nowMs;
    this.#failuresInRow = 0;
    this.#refusalsInRow = 0;
    this.#window.clear();
  }
}

function verdictOf(kind: OutcomeKind): Verdict {
  switch (kind) {
    case OutcomeKind.SUCCESS:
      return 'success';
    case OutcomeKind.FAILURE:
    case OutcomeKind.TIMEOUT:
      return 'failure';
    case OutcomeKind.CREDENTIAL_REFUSED:
      return 'refusal';
    case OutcomeKind.RATE_LIMITED:
    case OutcomeKind.NEUTRAL:
    case OutcomeKind.UNSPECIFIED:
      return 'neutral';
    default:
      // A newer version may send kinds that this one does not know.
      kind satisfies never;
      return 'neutral';
  }
}
