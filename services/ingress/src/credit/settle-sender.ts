import { type ClientDuplexStream, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Logger } from '@tollgate/common/logging';
import {
  Charge,
  type LedgerServiceClient,
  LedgerServiceService,
  SettleOutcome,
  type SettleResponse,
} from '@tollgate/proto/ledger';
import { Backoff } from '../../../common/src/backoff.ts';
import type { Clock } from '../journal/clock.ts';
import type { Segment } from '../journal/segment.ts';
import { Fifo } from './fifo.ts';
import { type EncodedSettleRequest, encodeSettleRequest } from './settle-message.ts';

/** A finished request on its way to the ledger. */
export interface UnsettledRecord {
  /** The encoded Charge. */
  payload: Uint8Array;
  /** Where the journal has it; undefined for one that could not be written. */
  segment: Segment | undefined;
  /** Somebody waits for its acknowledgement: it does not wait for company. */
  readonly urgent?: boolean;
  /** Told once the ledger has acknowledged it. `disputed`: not (wholly) taken from the lease. */
  settled: (disputed: boolean) => void;
  /** Called each time the ledger has failed on the record alone: it is tried again later, and holds up no others. */
  setApart?: () => void;
}

export interface SettleSenderOptions {
  client: LedgerServiceClient;
  logger: Logger;
  clock: Clock;
}

export interface SettleCounts {
  posted: number;
  duplicate: number;
  loss: number;
  quarantined: number;
}

interface Batch {
  sequence: bigint;
  records: UnsettledRecord[];
  sentAtMs: number;
}

type SettleStream = ClientDuplexStream<EncodedSettleRequest, SettleResponse>;

const LARGEST_BATCH = 500;
const LARGEST_BATCH_BYTES = 2 * 1024 * 1024;
const BATCHES_IN_FLIGHT = 4;
/**
 * A record waits this long for company, unless so many are there already: a commit costs the ledger and Postgres nearly
 * the same for one record as for many.
 */
const GATHER_MS = 10;
const GATHER_RECORDS = 128;
/** A batch that is not answered for this long is sent again over a new stream. */
const ANSWER_TIMEOUT_MS = 30_000;
/** How long a record the ledger failed on waits before it is tried again. */
const SUSPECT_PAUSE_MS = 2_000;
/** A stream is followed by another one after this time, which may reach another replica: so added replicas get their part. */
const STREAM_LIFE_MS = 60_000;
const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 2_000;

/** Statuses of a broken connection, as against those of a batch the ledger fails on. */
const CONNECTION_STATUSES: ReadonlySet<number> = new Set([status.UNAVAILABLE, status.CANCELLED]);

/**
 * Sends records to `Ledger.Settle` until each is acknowledged. A batch forms while the one before it is under way; full
 * batches follow at once, a few at a time. After a broken stream everything unanswered is sent again, which is safe as
 * settling is idempotent.
 */
export class SettleSender {
  readonly counts: SettleCounts = { posted: 0, duplicate: 0, loss: 0, quarantined: 0 };
  readonly #options: SettleSenderOptions;
  readonly #backoff = new Backoff(RECONNECT_MIN_MS, RECONNECT_MAX_MS);
  readonly #fresh = new Fifo<UnsettledRecord>();
  readonly #replayed = new Fifo<UnsettledRecord>();
  /** Records the ledger failed on when they were alone; sent again alone, now and then, when nothing else is under way. */
  readonly #suspects = new Fifo<UnsettledRecord>();
  #suspectsNotBeforeMs = 0;
  #inFlight: Batch[] = [];
  #sequence = 0n;
  #batchLimit = LARGEST_BATCH;
  #stream: SettleStream | undefined;
  #streamSinceMs = 0;
  #reconnect: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: SettleSenderOptions) {
    this.#options = options;
  }

  /** Records not yet acknowledged. */
  get unsettled(): number {
    let count = this.#fresh.length + this.#replayed.length + this.#suspects.length;
    for (const batch of this.#inFlight) count += batch.records.length;
    return count;
  }

  /** Settles a record within milliseconds. */
  send(record: UnsettledRecord): void {
    this.#fresh.push(record);
    if (record.urgent === true) this.#pump();
    else this.#pumpSoon();
  }

  /** Settles a record of earlier times, behind the fresh ones. */
  sendAgain(record: UnsettledRecord): void {
    this.#replayed.push(record);
    this.#pump();
  }

  /** Breaks off a stream that does not answer, and tries again what the ledger failed on. To be called now and then. */
  checkProgress(): void {
    const [oldest] = this.#inFlight;
    if (oldest === undefined) this.#pump();
    if (oldest === undefined || this.#options.clock.monotonicMs() - oldest.sentAtMs < ANSWER_TIMEOUT_MS) return;
    this.#options.logger.warn({ records: oldest.records.length }, 'the ledger does not answer a settlement');
    this.#lose(status.UNAVAILABLE, 'not answered in time');
  }

  /** Sends nothing more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#reconnect);
    clearTimeout(this.#gathering);
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.end();
    stream?.cancel();
  }

  #pumpSoon(): void {
    const waiting = this.#fresh.length + this.#replayed.length;
    if (waiting >= GATHER_RECORDS) this.#pump();
    else if (waiting > 0 && !this.#stopped) this.#gathering ??= setTimeout(() => this.#pump(), GATHER_MS);
  }

  #pump(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#stopped || this.#reconnect !== undefined) return;
    this.#endOldStream();
    while (this.#mayStartBatch()) {
      const records = this.#nextBatch();
      if (records.length === 0) return;
      this.#sequence += 1n;
      const batch = { sequence: this.#sequence, records, sentAtMs: this.#options.clock.monotonicMs() };
      this.#inFlight.push(batch);
      this.#stream ??= this.#open();
      this.#stream.write({ sequence: batch.sequence, charges: records });
    }
  }

  #mayStartBatch(): boolean {
    const waiting = this.#fresh.length + this.#replayed.length;
    if (this.#inFlight.length === 0) return waiting > 0 || this.#suspectsDue();
    // While a failing record is looked for, one batch at a time shows which one holds it.
    return (
      this.#batchLimit === LARGEST_BATCH && this.#inFlight.length < BATCHES_IN_FLIGHT && waiting >= this.#batchLimit
    );
  }

  #suspectsDue(): boolean {
    return this.#suspects.length > 0 && this.#options.clock.monotonicMs() >= this.#suspectsNotBeforeMs;
  }

  #nextBatch(): UnsettledRecord[] {
    if (this.#fresh.length + this.#replayed.length === 0) return this.#suspects.take(1);
    let bytes = 0;
    const fits = (record: UnsettledRecord) => {
      bytes += record.payload.length;
      return bytes <= LARGEST_BATCH_BYTES;
    };
    const records = this.#fresh.take(this.#batchLimit, fits);
    if (records.length === this.#batchLimit || this.#replayed.length === 0 || bytes > LARGEST_BATCH_BYTES)
      return records;
    return records.concat(this.#replayed.take(this.#batchLimit - records.length, fits));
  }

  /** Ends a stream of age, where nothing is under way on it. */
  #endOldStream(): void {
    const ageMs = this.#options.clock.monotonicMs() - this.#streamSinceMs;
    if (this.#stream === undefined || this.#inFlight.length > 0 || ageMs < STREAM_LIFE_MS) return;
    const stream = this.#stream;
    this.#stream = undefined;
    stream.end();
  }

  #open(): SettleStream {
    this.#streamSinceMs = this.#options.clock.monotonicMs();
    const { path, responseDeserialize } = LedgerServiceService.settle;
    const client = this.#options.client;
    const stream: SettleStream = client.makeBidiStreamRequest(
      path,
      encodeSettleRequest,
      responseDeserialize,
      new Metadata(),
    );
    stream.on('data', (response: SettleResponse) => {
      if (stream === this.#stream) this.#answered(response);
    });
    stream.on('error', (error: ServiceError) => {
      if (stream === this.#stream) this.#lose(error.code, error.details);
    });
    stream.on('end', () => {
      if (stream === this.#stream) this.#lose(status.UNAVAILABLE, 'the ledger ended the stream');
    });
    return stream;
  }

  #answered(response: SettleResponse): void {
    const index = this.#inFlight.findIndex((batch) => batch.sequence === response.sequence);
    const batch = this.#inFlight[index];
    if (batch === undefined) return;
    if (response.outcomes.length !== batch.records.length || !response.outcomes.every(isFinal)) {
      this.#lose(status.INTERNAL, 'the answer does not fit its batch');
      return;
    }
    this.#inFlight.splice(index, 1);
    this.#backoff.reset();
    this.#batchLimit = Math.min(LARGEST_BATCH, this.#batchLimit * 2);
    batch.records.forEach((record, at) => {
      const outcome = response.outcomes[at];
      if (outcome !== undefined) this.#settled(record, outcome);
    });
    this.#pumpSoon();
  }

  #settled(record: UnsettledRecord, outcome: SettleOutcome): void {
    switch (outcome) {
      case SettleOutcome.POSTED:
        this.counts.posted += 1;
        break;
      case SettleOutcome.DUPLICATE:
        this.counts.duplicate += 1;
        break;
      case SettleOutcome.LOSS:
        this.counts.loss += 1;
        this.#report(record, 'a charge was not covered by its lease: the operator bears it');
        break;
      case SettleOutcome.QUARANTINED:
        this.counts.quarantined += 1;
        this.#report(record, 'the ledger put a charge into quarantine');
        break;
      case SettleOutcome.UNSPECIFIED:
        break;
      default:
        outcome satisfies never;
    }
    record.settled(outcome === SettleOutcome.LOSS || outcome === SettleOutcome.QUARANTINED);
  }

  #report(record: UnsettledRecord, message: string): void {
    const { requestId, accountId, traceId, sessionId, costNanos, holdNanos } = Charge.decode(record.payload);
    const fields = { request_id: requestId, account_id: accountId, trace_id: traceId, session_id: sessionId };
    const amounts = { cost_nanos: costNanos.toString(), hold_nanos: holdNanos.toString() };
    this.#options.logger.error({ ...fields, ...amounts }, message);
  }

  /** Gives the stream up, puts what it did not answer back in front, and tries again later. */
  #lose(code: number, details: string): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.cancel();
    const unanswered = this.#inFlight;
    this.#inFlight = [];
    if (CONNECTION_STATUSES.has(code)) {
      this.#fresh.putBack(unanswered.flatMap(({ records }) => records));
      this.#options.logger.debug({ code, details }, 'the settle stream broke');
    } else {
      this.#options.logger.error({ code, details, batches: unanswered.length }, 'the ledger failed on a settlement');
      this.#isolate(unanswered);
    }
    if (this.#stopped) return;
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      this.#pump();
    }, this.#backoff.next());
  }

  /** Smaller batches until the ledger takes them; a record that fails alone is set apart from all others. */
  #isolate(failed: Batch[]): void {
    const largest = Math.max(1, ...failed.map(({ records }) => records.length));
    this.#batchLimit = Math.max(1, Math.floor(largest / 4));
    const [first] = failed;
    if (failed.length === 1 && first?.records.length === 1) {
      this.#suspects.push(...first.records);
      first.records[0]?.setApart?.();
      this.#suspectsNotBeforeMs = this.#options.clock.monotonicMs() + SUSPECT_PAUSE_MS;
    } else {
      this.#fresh.putBack(failed.flatMap(({ records }) => records));
    }
  }
}

function isFinal(outcome: SettleOutcome): boolean {
  return (
    outcome === SettleOutcome.POSTED ||
    outcome === SettleOutcome.DUPLICATE ||
    outcome === SettleOutcome.LOSS ||
    outcome === SettleOutcome.QUARANTINED
  );
}
