import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const TIMEOUT_MS = 30_000;

export interface Target {
  host: string;
  port: number;
  /** The address that the server sees; the system's choice unless given. */
  from?: string | undefined;
}

/**
 * One kept connection that asks for a model with one key after the other: the least there is to be had with a good key. It
 * reads no more of a response than its end, so that the load costs little next to what it loads.
 */
export class RawConnection {
  readonly #target: Target;
  #socket: Socket | undefined;
  #received = '';
  #settle: ((outcome: number | Error) => void) | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Resolves with the status of the response. @throws Error when the connection failed, or there was none in time */
  async ask(key: string): Promise<number> {
    const socket = this.#socket ?? this.#open();
    let timer: NodeJS.Timeout | undefined;
    const responded = new Promise<number>((resolve, reject) => {
      this.#settle = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
      timer = setTimeout(() => this.#fail(new Error('no answer in time')), TIMEOUT_MS);
    });
    socket.write(`GET /v1/models/small HTTP/1.1\r\nhost: ${this.#target.host}\r\nx-api-key: ${key}\r\n\r\n`);
    try {
      return await responded;
    } finally {
      clearTimeout(timer);
      this.#settle = undefined;
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const { host, port, from } = this.#target;
    const socket = connect({ host, port, noDelay: true, ...(from === undefined ? {} : { localAddress: from }) });
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => {
      if (socket === this.#socket) this.#fail(new Error('the connection was closed'));
    });
    this.#socket = socket;
    this.#received = '';
    return socket;
  }

  #fail(error: Error): void {
    this.close();
    this.#settle?.(error);
  }

  #receive(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) this.#fail(new Error('an answer without a length'));
    if (!(this.#received.length >= headEnd + HEAD_END.length + length)) return;
    this.#received = '';
    if (/^connection: close$/im.test(head)) this.close();
    this.#settle?.(Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
  }
}
