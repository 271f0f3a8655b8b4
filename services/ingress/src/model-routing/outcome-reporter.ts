import { setTimeout as delay } from 'node:timers/promises';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { messageOf } from '@tollgate/common/errors';
import { traceMetadata } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import type { Outcome, OutcomeBatch, OutcomeBatchAck, RouterServiceClient } from '@tollgate/proto/router';

/** Reports wait at most this long for company. */
const FLUSH_AFTER_MS = 100;
const BATCH_LIMIT = 1_000;
/** Beyond this many unsent reports the oldest are dropped: health is judged by the newest anyway. */
const QUEUE_LIMIT = 10_000;
const RECONNECT_AFTER_MS = 500;
/** Batches sent and not yet acknowledged; a router that falls behind is sent no more meanwhile. */
const IN_FLIGHT_LIMIT = 8n;

type OutcomeStream = ClientDuplexStream<OutcomeBatch, OutcomeBatchAck>;

/** Streams the outcomes of upstream calls to the router in batches. A report may be lost, never delayed for a request. */
export class OutcomeReporter {
  readonly #router: RouterServiceClient;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  #queue: Outcome[] = [];
  #timer: NodeJS.Timeout | undefined;
  #stream: OutcomeStream | undefined;
  #reconnecting = false;
  /** Whether the router has taken nothing since a stream broke. */
  #outOfReach = false;
  #sequence = 0n;
  #acknowledged = 0n;
  #wakeDrain: (() => void) | undefined;

  constructor(router: RouterServiceClient, logger: Logger) {
    this.#router = router;
    this.#logger = logger;
  }

  report(outcome: Outcome): void {
    this.#queue.push(outcome);
    if (this.#queue.length > QUEUE_LIMIT) this.#queue.splice(0, this.#queue.length - QUEUE_LIMIT);
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS);
  }

  /** Sends what is queued, waits for its acknowledgement within the bound, and closes the stream. */
  async stop(graceMs: number): Promise<void> {
    this.#flush();
    const acknowledged = new Promise<void>((resolve) => {
      this.#wakeDrain = resolve;
      if (this.#acknowledged >= this.#sequence) resolve();
    });
    await Promise.race([acknowledged, delay(graceMs, undefined, { ref: false })]);
    this.#stopped.abort();
    clearTimeout(this.#timer);
    this.#stream?.end();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const stream = this.#stream ?? this.#connect();
    if (stream === undefined || this.#sequence - this.#acknowledged >= IN_FLIGHT_LIMIT) {
      this.#timer = setTimeout(() => this.#flush(), RECONNECT_AFTER_MS);
      return;
    }
    while (this.#queue.length > 0 && this.#sequence - this.#acknowledged < IN_FLIGHT_LIMIT) {
      this.#sequence += 1n;
      stream.write({ sequence: this.#sequence, outcomes: this.#queue.splice(0, BATCH_LIMIT) });
    }
  }

  #connect(): OutcomeStream | undefined {
    if (this.#reconnecting || this.#stopped.signal.aborted) return undefined;
    const stream = this.#router.reportOutcomes(traceMetadata());
    stream.on('data', (ack: OutcomeBatchAck) => {
      this.#acknowledged = ack.sequence;
      this.#outOfReach = false;
      if (this.#acknowledged >= this.#sequence) this.#wakeDrain?.();
    });
    stream.on('error', (error: unknown) => this.#lost(stream, messageOf(error)));
    stream.on('end', () => this.#lost(stream, 'ended by the router'));
    this.#stream = stream;
    this.#acknowledged = this.#sequence;
    return stream;
  }

  #lost(stream: OutcomeStream, reason: string): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    if (this.#stopped.signal.aborted) return;
    if (!this.#outOfReach) this.#logger.info({ reason }, 'the outcome stream broke; some outcomes may not be known');
    this.#outOfReach = true;
    this.#reconnecting = true;
    setTimeout(() => {
      this.#reconnecting = false;
    }, RECONNECT_AFTER_MS).unref();
  }
}
