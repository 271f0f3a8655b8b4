import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const TIMEOUT_MS = 30_000;

export interface Target {
  host: string;
  port: number;
  /** Source address; the system's choice by default. */
  from?: string | undefined;
}

/**
 * One persistent connection that requests a model with one key after the other: the cheapest authenticated call. It
 * reads only the end of each response, so that the load generator costs little.
 */
export class RawConnection {
  readonly #target: Target;
  #socket: Socket | undefined;
  #received = '';
  #settle: ((outcome: number | Error) => void) | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** @returns the status of the response @throws Error if the connection fails or the response is late */
  async ask(key: string): Promise<number> {
    const socket = this.#socket ?? this.#open();
    let timer: NodeJS.Timeout | undefined;
    const responded = new Promise<number>((resolve, reject) => {
      this.#settle = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
      timer = setTimeout(() => this.#fail(new Error('no response in time')), TIMEOUT_MS);
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
    if (Number.isNaN(length)) this.#fail(new Error('a response without a length'));
    if (!(this.#received.length >= headEnd + HEAD_END.length + length)) return;
    this.#received = '';
    if (/^connection: close$/im.test(head)) this.close();
    this.#settle?.(Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
  }
}
