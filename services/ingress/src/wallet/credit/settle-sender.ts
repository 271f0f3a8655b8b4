import { type ClientDuplexStream, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Backoff } from '@tollgate/common/backoff';
import type { Clock } from '@tollgate/common/clock';
import type { Logger } from '@tollgate/common/logging';
import {
  Charge,
  type LedgerServiceClient,
  LedgerServiceService,
  SettleOutcome,
  SettleRequest,
  type SettleResponse,
} from '@tollgate/proto/ledger';
import type { Segment } from '../journal/segment.ts';
import { Fifo } from './fifo.ts';

/** Field 2 of SettleRequest, length-delimited. */
const CHARGES_TAG = 0x12;

/** A batch of encoded charges: the bytes in the journal are sent as they are. */
export interface EncodedSettleRequest {
  sequence: bigint;
  charges: readonly { payload: Uint8Array }[];
}

/** Encodes a SettleRequest from encoded charges. */
export function encodeSettleRequest(request: EncodedSettleRequest): Buffer {
  const head = SettleRequest.encode({ sequence: request.sequence, charges: [] }).finish();
  let size = head.length;
  for (const { payload } of request.charges) size += 1 + varintBytes(payload.length) + payload.length;
  const bytes = Buffer.allocUnsafe(size);
  bytes.set(head, 0);
  let at = head.length;
  for (const { payload } of request.charges) {
    bytes[at] = CHARGES_TAG;
    at = writeVarint(bytes, at + 1, payload.length);
    bytes.set(payload, at);
    at += payload.length;
  }
  return bytes;
}

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value >>> 7; rest !== 0; rest >>>= 7) count += 1;
  return count;
}

function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 0x7f) {
    bytes[at] = (rest & 0x7f) | 0x80;
    at += 1;
    rest >>>= 7;
  }
  bytes[at] = rest;
  return at + 1;
}

/** The charge of a finished request on its way to the ledger. */
export interface UnsettledRecord {
  /** The encoded Charge. */
  payload: Uint8Array;
  /** The journal segment that holds it; undefined for one that could not be written. */
  segment: Segment | undefined;
  /** When it was to be settled first, Unix milliseconds. */
  readonly pendingSinceMs: number;
  /** Something waits for its acknowledgement: it is sent without waiting for a fuller batch. */
  readonly urgent?: boolean;
  /** Called once the ledger has acknowledged it. `disputed`: not (fully) taken from the lease. */
  settled: (disputed: boolean) => void;
  /** Called each time the ledger failed on this record alone: it is retried later and delays no others. */
  isolated?: () => void;
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

const MAX_BATCH_RECORDS = 500;
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
const MAX_BATCHES_IN_FLIGHT = 4;
/**
 * A record waits this long for others, unless enough are queued or something waits for one: a commit costs the ledger and
 * Postgres nearly the same for one record as for many.
 */
const GATHER_MS = 100;
const GATHER_RECORDS = 250;
/** A batch that is unacknowledged for this long is sent again over a new stream. */
const ACK_TIMEOUT_MS = 30_000;
/** How long a record that the ledger failed on waits for its retry. */
const SUSPECT_RETRY_MS = 2_000;
/** A stream is replaced after this time; the next one may reach another replica, so that new replicas get their share. */
const MAX_STREAM_AGE_MS = 60_000;
/** Not a ReconnectingStream: a stream is opened only to send a batch, and what a lost one did not acknowledge is sent first. */
const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 2_000;

/** Statuses of a broken connection, as opposed to a batch that the ledger fails on. */
const CONNECTION_STATUSES: ReadonlySet<number> = new Set([status.UNAVAILABLE, status.CANCELLED]);

/**
 * Sends records to `Ledger.Settle` until each is acknowledged. A batch forms while the previous one is open; full batches
 * are sent at once, a few at a time. After a broken stream everything unacknowledged is sent again, which is safe because
 * settling is idempotent.
 */
export class SettleSender {
  readonly counts: SettleCounts = { posted: 0, duplicate: 0, loss: 0, quarantined: 0 };
  readonly #options: SettleSenderOptions;
  readonly #backoff = new Backoff(RECONNECT_MIN_MS, RECONNECT_MAX_MS);
  readonly #fresh = new Fifo<UnsettledRecord>();
  readonly #replayed = new Fifo<UnsettledRecord>();
  /** Records that the ledger failed on alone; each is retried alone, while no other batch is open. */
  readonly #suspects = new Fifo<UnsettledRecord>();
  #suspectsNotBeforeMs = 0;
  #inFlight: Batch[] = [];
  #sequence = 0n;
  #batchLimit = MAX_BATCH_RECORDS;
  #stream: SettleStream | undefined;
  #streamSinceMs = 0;
  #reconnect: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  /** What is queued is sent as soon as no batch is open. */
  #gathered = false;
  #stopped = false;

  constructor(options: SettleSenderOptions) {
    this.#options = options;
  }

  /** Number of records that are not acknowledged. */
  get unsettled(): number {
    let count = this.#fresh.length + this.#replayed.length + this.#suspects.length;
    for (const batch of this.#inFlight) count += batch.records.length;
    return count;
  }

  /** When the oldest of them was to be settled, Unix milliseconds; undefined without any. Looks at each of them. */
  get pendingSinceMs(): number | undefined {
    let oldest: number | undefined;
    for (const records of [
      this.#fresh,
      this.#replayed,
      this.#suspects,
      ...this.#inFlight.map((batch) => batch.records),
    ]) {
      for (const { pendingSinceMs } of records) oldest = Math.min(pendingSinceMs, oldest ?? pendingSinceMs);
    }
    return oldest;
  }

  /** Settles a record within the time that records are gathered. */
  send(record: UnsettledRecord): void {
    this.#fresh.push(record);
    if (record.urgent === true) this.sendNow();
    else this.#pumpSoon();
  }

  /** Gathers no longer: something waits for a record that may be queued. */
  sendNow(): void {
    this.#gathered = this.#fresh.length + this.#replayed.length > 0;
    this.#pump();
  }

  /** Settles a record of an earlier run, after the fresh ones. */
  sendAgain(record: UnsettledRecord): void {
    this.#replayed.push(record);
    this.#pump();
  }

  /** Replaces a stream that does not respond, and retries suspects. Call it periodically. */
  checkProgress(): void {
    const [oldest] = this.#inFlight;
    if (oldest === undefined) this.#pump();
    if (oldest === undefined || this.#options.clock.monotonicMs() - oldest.sentAtMs < ACK_TIMEOUT_MS) return;
    this.#options.logger.warn({ records: oldest.records.length }, 'the ledger does not acknowledge charges in time');
    this.#streamLost(status.UNAVAILABLE, 'not acknowledged in time');
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
    if (this.#gathered || waiting >= GATHER_RECORDS) this.#pump();
    else if (waiting > 0 && !this.#stopped) this.#gathering ??= setTimeout(() => this.sendNow(), GATHER_MS);
  }

  #pump(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#stopped || this.#reconnect !== undefined) return;
    this.#endOldStream();
    while (this.#mayStartBatch()) {
      const records = this.#nextBatch();
      if (this.#fresh.length + this.#replayed.length === 0) this.#gathered = false;
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
    // While searching for a failing record, only one batch at a time is open, so that it is clear which one holds it.
    return (
      this.#batchLimit === MAX_BATCH_RECORDS &&
      this.#inFlight.length < MAX_BATCHES_IN_FLIGHT &&
      waiting >= this.#batchLimit
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
      return bytes <= MAX_BATCH_BYTES;
    };
    const records = this.#fresh.take(this.#batchLimit, fits);
    if (records.length === this.#batchLimit || this.#replayed.length === 0 || bytes > MAX_BATCH_BYTES) return records;
    return records.concat(this.#replayed.take(this.#batchLimit - records.length, fits));
  }

  /** Ends an old stream that has no open batch. */
  #endOldStream(): void {
    const ageMs = this.#options.clock.monotonicMs() - this.#streamSinceMs;
    if (this.#stream === undefined || this.#inFlight.length > 0 || ageMs < MAX_STREAM_AGE_MS) return;
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
      if (stream === this.#stream) this.#received(response);
    });
    stream.on('error', (error: ServiceError) => {
      if (stream === this.#stream) this.#streamLost(error.code, error.details);
    });
    stream.on('end', () => {
      if (stream === this.#stream) this.#streamLost(status.UNAVAILABLE, 'the ledger ended the stream');
    });
    return stream;
  }

  #received(response: SettleResponse): void {
    const index = this.#inFlight.findIndex((batch) => batch.sequence === response.sequence);
    const batch = this.#inFlight[index];
    if (batch === undefined) return;
    if (response.outcomes.length !== batch.records.length || !response.outcomes.every(isFinal)) {
      this.#streamLost(status.INTERNAL, 'the response does not match its batch');
      return;
    }
    this.#inFlight.splice(index, 1);
    this.#backoff.reset();
    this.#batchLimit = Math.min(MAX_BATCH_RECORDS, this.#batchLimit * 2);
    for (let at = 0; at < batch.records.length; at += 1) {
      const record = batch.records[at];
      const outcome = response.outcomes[at];
      if (record !== undefined && outcome !== undefined) this.#settled(record, outcome);
    }
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
        this.#report(record, 'a charge exceeded its lease: the operator bears the rest');
        break;
      case SettleOutcome.QUARANTINED:
        this.counts.quarantined += 1;
        this.#report(record, 'the ledger quarantined a charge');
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

  /** Drops the stream, puts its unacknowledged records back in front, and reconnects later. */
  #streamLost(code: number, details: string): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.cancel();
    const unacknowledged = this.#inFlight;
    this.#inFlight = [];
    if (CONNECTION_STATUSES.has(code)) {
      this.#fresh.putBack(unacknowledged.flatMap(({ records }) => records));
      this.#options.logger.debug({ code, details }, 'the settle stream broke');
    } else {
      this.#options.logger.error(
        { code, details, batches: unacknowledged.length },
        'the ledger failed to settle charges',
      );
      this.#isolate(unacknowledged);
    }
    if (this.#stopped) return;
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      this.#pump();
    }, this.#backoff.next());
  }

  /** Shrinks batches until the ledger accepts them; a record that fails alone becomes a suspect. */
  #isolate(failed: Batch[]): void {
    const largest = Math.max(1, ...failed.map(({ records }) => records.length));
    this.#batchLimit = Math.max(1, Math.floor(largest / 4));
    const [first] = failed;
    if (failed.length === 1 && first?.records.length === 1) {
      this.#suspects.push(...first.records);
      first.records[0]?.isolated?.();
      this.#suspectsNotBeforeMs = this.#options.clock.monotonicMs() + SUSPECT_RETRY_MS;
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
