import { setTimeout as delay } from 'node:timers/promises';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { traceMetadata } from '@tollgate/common/grpc/client';
import { ReconnectingStream } from '@tollgate/common/grpc/reconnecting-stream';
import type { Logger } from '@tollgate/common/logging';
import {
  type Outcome,
  type OutcomeBatch,
  type OutcomeBatchAck,
  OutcomeKind,
  type RouterServiceClient,
} from '@tollgate/proto/router';

/** Failures are batched within this time. */
const FLUSH_AFTER_MS = 100;
/** So are successes while there are no failures. They are less urgent, and a batch costs more than what it contains. */
const FLUSH_SUCCESSES_AFTER_MS = 250;
const RECONNECT_MIN_MS = 500;
const RECONNECT_MAX_MS = 5_000;
/** How long reports wait where the router cannot take them now. */
const RETRY_AFTER_MS = 500;
/** Maximum number of unacknowledged batches; a router that falls behind gets no more until it catches up. */
const IN_FLIGHT_LIMIT = 8n;

type OutcomeStream = ClientDuplexStream<OutcomeBatch, OutcomeBatchAck>;

/** Streams the outcomes of upstream calls to the router in batches. A report may be lost; no request waits for one. */
export class OutcomeReporter {
  readonly #stream: ReconnectingStream<OutcomeBatchAck, OutcomeStream>;
  readonly #queue = new OutcomeQueue();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer waits for successes only, and a failure shortens it. */
  #isLeisurely = false;
  /** Whether the router has acknowledged nothing since a stream broke. */
  #isUnavailable = false;
  #sequence = 0n;
  #acknowledged = 0n;
  #wakeDrain: (() => void) | undefined;

  constructor(router: RouterServiceClient, logger: Logger) {
    this.#stream = new ReconnectingStream<OutcomeBatchAck, OutcomeStream>({
      open: () => router.reportOutcomes(traceMetadata()),
      opened: () => {
        this.#acknowledged = this.#sequence;
      },
      received: (ack) => this.#receive(ack),
      lost: (reason) => {
        if (!this.#isUnavailable) logger.info({ reason }, 'the outcome stream broke; some outcomes may not be known');
        this.#isUnavailable = true;
      },
      minDelayMs: RECONNECT_MIN_MS,
      maxDelayMs: RECONNECT_MAX_MS,
    });
  }

  report(outcome: ReportedOutcome): void {
    this.#queue.add(outcome);
    const isSuccess = outcome.kind === OutcomeKind.SUCCESS;
    if (this.#timer === undefined) this.#flushAfter(isSuccess ? FLUSH_SUCCESSES_AFTER_MS : FLUSH_AFTER_MS, isSuccess);
    else if (this.#isLeisurely && !isSuccess) this.#flushAfter(FLUSH_AFTER_MS);
  }

  /** Sends what is queued, waits for its acknowledgement within a time limit, and closes the stream. */
  async stop(graceMs: number): Promise<void> {
    this.#flush();
    const acknowledged = new Promise<void>((resolve) => {
      this.#wakeDrain = resolve;
      if (this.#acknowledged >= this.#sequence) resolve();
    });
    await Promise.race([acknowledged, delay(graceMs, undefined, { ref: false })]);
    clearTimeout(this.#timer);
    this.#stream.stop()?.end();
  }

  #flushAfter(waitMs: number, isLeisurely = false): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), waitMs);
    this.#isLeisurely = isLeisurely;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A router that nothing is reported to is not connected to.
    this.#stream.start();
    const { call } = this.#stream;
    if (call === undefined || this.#sequence - this.#acknowledged >= IN_FLIGHT_LIMIT) {
      this.#flushAfter(RETRY_AFTER_MS);
      return;
    }
    while (!this.#queue.isEmpty && this.#sequence - this.#acknowledged < IN_FLIGHT_LIMIT) {
      this.#sequence += 1n;
      call.write({ sequence: this.#sequence, outcomes: this.#queue.takeBatch() });
    }
  }

  #receive(ack: OutcomeBatchAck): void {
    this.#acknowledged = ack.sequence;
    this.#isUnavailable = false;
    this.#stream.reset();
    if (this.#acknowledged >= this.#sequence) this.#wakeDrain?.();
  }
}

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
