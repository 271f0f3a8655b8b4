import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { ReconnectingStream } from '@tollgate/common/grpc/reconnecting-stream';
import type { Logger } from '@tollgate/common/logging';
import type { LeaseRequest, LeaseResponse, LedgerServiceClient } from '@tollgate/proto/ledger';

type LeaseCall = ClientDuplexStream<LeaseRequest, LeaseResponse>;

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
  readonly #stream: ReconnectingStream<LeaseResponse, LeaseCall>;
  #sessionId = '';
  #up = false;
  #openTimer: NodeJS.Timeout | undefined;

  constructor(options: LeaseStreamOptions) {
    this.#options = options;
    this.#stream = new ReconnectingStream<LeaseResponse, LeaseCall>({
      open: () => options.client.lease(),
      opened: (call) => this.#openSession(call),
      received: (response) => this.#receive(response),
      lost: (_reason, error) => this.#lost(error),
      minDelayMs: RECONNECT_MIN_MS,
      maxDelayMs: RECONNECT_MAX_MS,
    });
  }

  /** Whether the session is open on the current stream. */
  get up(): boolean {
    return this.#up;
  }

  /** Opens the session over a new stream. A replacement waits for a delay, which grows with replacements in a row. */
  open(sessionId: string): void {
    const first = this.#sessionId === '';
    this.#sessionId = sessionId;
    if (first) {
      this.#stream.start();
      return;
    }
    this.#setDown();
    this.#stream.replace()?.cancel();
  }

  /** Resets the delay, because the ledger keeps the session. */
  resetBackoff(): void {
    this.#stream.reset();
  }

  /** Sends a message; false, without sending it, while the session is not open. */
  send(message: NonNullable<LeaseRequest['message']>): boolean {
    const { call } = this.#stream;
    if (!this.#up || call === undefined) return false;
    call.write({ message });
    return true;
  }

  /** Replaces a stream that does not respond. */
  restart(reason: string): void {
    this.#options.logger.warn({ reason }, 'reopening the lease stream');
    this.#stream.restart(reason);
  }

  stop(): void {
    this.#setDown();
    const call = this.#stream.stop();
    call?.end();
    call?.cancel();
  }

  #openSession(call: LeaseCall): void {
    this.#options.openSent();
    const { ingressName } = this.#options;
    call.write({ message: { $case: 'open', value: { sessionId: this.#sessionId, ingressName } } });
    this.#openTimer = setTimeout(() => this.restart('the session was not opened in time'), OPEN_TIMEOUT_MS);
  }

  #receive(response: LeaseResponse): void {
    if (response.message === undefined) return;
    if (response.message.$case === 'opened' && response.message.value.sessionId === this.#sessionId) {
      clearTimeout(this.#openTimer);
      this.#up = true;
    }
    this.#options.received(response.message);
  }

  #lost(error: ServiceError | undefined): void {
    if (error !== undefined) {
      this.#options.logger.debug({ code: error.code, details: error.details }, 'the lease stream broke');
    }
    this.#setDown();
    this.#options.lost();
  }

  #setDown(): void {
    clearTimeout(this.#openTimer);
    this.#up = false;
  }
}
