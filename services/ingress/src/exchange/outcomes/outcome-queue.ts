import type { Outcome } from '@tollgate/proto/router';

/** Maximum calls of a batch. */
const BATCH_LIMIT = 1_000;
/** Beyond this many unsent calls the oldest are dropped: health depends on the newest. */
const QUEUE_LIMIT = 10_000;

/** What happened to one upstream call. */
export type ReportedOutcome = Omit<Outcome, 'furtherDurationsMs'>;

/**
 * Outcomes of upstream calls that wait to be sent. Successive calls of a deployment with the same outcome are one entry, as
 * most calls succeed; those of sampled requests begin another one, because the router gives each of them a span.
 */
export class OutcomeQueue {
  #entries: Outcome[] = [];
  #calls = 0;
  /** The last entry of each deployment, while it is queued. */
  readonly #last = new Map<string, Outcome>();

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(outcome: ReportedOutcome): void {
    const last = this.#last.get(outcome.deploymentId);
    if (last !== undefined && continues(last, outcome)) last.furtherDurationsMs.push(outcome.durationMs);
    else {
      const entry = { ...outcome, furtherDurationsMs: [] };
      this.#entries.push(entry);
      this.#last.set(outcome.deploymentId, entry);
    }
    this.#calls += 1;
    // A whole batch, so that the rest is not moved for every call.
    if (this.#calls > QUEUE_LIMIT) this.takeBatch();
  }

  /** Takes the oldest outcomes, as many as a batch may have. */
  takeBatch(): Outcome[] {
    let calls = 0;
    let end = 0;
    for (const entry of this.#entries) {
      if (calls + callsOf(entry) > BATCH_LIMIT) break;
      calls += callsOf(entry);
      end += 1;
    }
    this.#calls -= calls;
    this.#last.clear();
    return this.#entries.splice(0, end);
  }
}

function continues(last: Outcome, { kind, httpStatus, trace }: ReportedOutcome): boolean {
  return trace === undefined && last.kind === kind && last.httpStatus === httpStatus && callsOf(last) < BATCH_LIMIT;
}

function callsOf({ furtherDurationsMs }: Outcome): number {
  return 1 + furtherDurationsMs.length;
}
