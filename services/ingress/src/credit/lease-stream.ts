import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import type { Logger } from '@tollgate/common/logging';
import type { LeaseRequest, LeaseResponse, LedgerServiceClient } from '@tollgate/proto/ledger';
import { Backoff } from '../../../common/src/backoff.ts';

export interface LeaseStreamOptions {
  client: LedgerServiceClient;
  ingressName: string;
  logger: Logger;
  /** Each message of the stream now in use. */
  received: (message: NonNullable<LeaseResponse['message']>) => void;
  /** An OpenSession was sent. */
  asked: () => void;
  /** The stream is gone; another one is opened after a delay. */
  lost: () => void;
}

const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 2_000;
/** A session that is not opened for this long is asked for over a new stream. */
const OPEN_TIMEOUT_MS = 5_000;

/** The call `Ledger.Lease` of the current session: opened, opened again whenever it breaks, with a growing delay. */
export class LeaseStream {
  readonly #options: LeaseStreamOptions;
  readonly #backoff = new Backoff(RECONNECT_MIN_MS, RECONNECT_MAX_MS);
  #sessionId = '';
  #call: ClientDuplexStream<LeaseRequest, LeaseResponse> | undefined;
  #up = false;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: LeaseStreamOptions) {
    this.#options = options;
  }

  /** Whether the session is open on the stream now in use. */
  get up(): boolean {
    return this.#up;
  }

  /** Opens the session, over a new stream. In place of one before, after a delay that grows if that happens in a row. */
  open(sessionId: string): void {
    const first = this.#sessionId === '';
    this.#sessionId = sessionId;
    this.#drop();
    if (first) this.#connect();
    else this.#connectLater();
  }

  /** The ledger keeps the session: the next delay is a short one again. */
  settled(): void {
    this.#backoff.reset();
  }

  /** Sends a message; false while the session is not open, when it is not sent. */
  send(message: NonNullable<LeaseRequest['message']>): boolean {
    if (!this.#up || this.#call === undefined) return false;
    this.#call.write({ message });
    return true;
  }

  /** Gives up the stream, which does not answer, and opens another. */
  restart(reason: string): void {
    this.#options.logger.warn({ reason }, 'the lease stream is opened anew');
    this.#broken();
  }

  stop(): void {
    this.#stopped = true;
    this.#call?.end();
    this.#drop();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const call = this.#call;
    this.#call = undefined;
    this.#up = false;
    call?.cancel();
  }

  #connect(): void {
    if (this.#stopped) return;
    const call = this.#options.client.lease();
    this.#call = call;
    call.on('data', (response: LeaseResponse) => {
      if (call === this.#call) this.#received(response);
    });
    call.on('error', (error: ServiceError) => {
      if (call !== this.#call) return;
      this.#options.logger.debug({ code: error.code, details: error.details }, 'the lease stream broke');
      this.#broken();
    });
    call.on('end', () => {
      if (call === this.#call) this.#broken();
    });
    this.#options.asked();
    const { ingressName } = this.#options;
    call.write({ message: { $case: 'open', value: { sessionId: this.#sessionId, ingressName } } });
    this.#timer = setTimeout(() => this.restart('the session was not opened in time'), OPEN_TIMEOUT_MS);
  }

  #received(response: LeaseResponse): void {
    if (response.message === undefined) return;
    if (response.message.$case === 'opened' && response.message.value.sessionId === this.#sessionId) {
      clearTimeout(this.#timer);
      this.#up = true;
    }
    this.#options.received(response.message);
  }

  #broken(): void {
    this.#drop();
    this.#connectLater();
    this.#options.lost();
  }

  #connectLater(): void {
    if (!this.#stopped) this.#timer = setTimeout(() => this.#connect(), this.#backoff.next());
  }
}
