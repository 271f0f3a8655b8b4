import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { Backoff } from '@tollgate/common/backoff';
import type { Logger } from '@tollgate/common/logging';
import type { LeaseRequest, LeaseResponse, LedgerServiceClient } from '@tollgate/proto/ledger';

export interface LeaseStreamOptions {
  client: LedgerServiceClient;
  ingressName: string;
  logger: Logger;
  /** Called with each message of the current stream. */
  received: (message: NonNullable<LeaseResponse['message']>) => void;
  /** Called when an OpenSession was sent. */
  openSent: () => void;
  /** Called when the stream broke; another one is opened after a delay. */
  lost: () => void;
}

const RECONNECT_MIN_MS = 50;
const RECONNECT_MAX_MS = 2_000;
/** After this long without an opened session, a new stream is tried. */
const OPEN_TIMEOUT_MS = 5_000;

/** The `Ledger.Lease` call of the current session, reopened with a growing delay whenever it breaks. */
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

  /** Whether the session is open on the current stream. */
  get up(): boolean {
    return this.#up;
  }

  /** Opens the session over a new stream. A replacement waits for a delay, which grows with replacements in a row. */
  open(sessionId: string): void {
    const first = this.#sessionId === '';
    this.#sessionId = sessionId;
    this.#close();
    if (first) this.#connect();
    else this.#connectLater();
  }

  /** Resets the delay, because the ledger keeps the session. */
  resetBackoff(): void {
    this.#backoff.reset();
  }

  /** Sends a message; false, without sending it, while the session is not open. */
  send(message: NonNullable<LeaseRequest['message']>): boolean {
    if (!this.#up || this.#call === undefined) return false;
    this.#call.write({ message });
    return true;
  }

  /** Replaces a stream that does not respond. */
  restart(reason: string): void {
    this.#options.logger.warn({ reason }, 'reopening the lease stream');
    this.#broken();
  }

  stop(): void {
    this.#stopped = true;
    this.#call?.end();
    this.#close();
  }

  #close(): void {
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
    this.#options.openSent();
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
    this.#close();
    this.#connectLater();
    this.#options.lost();
  }

  #connectLater(): void {
    if (!this.#stopped) this.#timer = setTimeout(() => this.#connect(), this.#backoff.next());
  }
}
