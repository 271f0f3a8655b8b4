import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadCommand, LoadResult, RequestSpec, Route } from './messages.ts';
import { bodyOf, headersOf, pathOf } from './request.ts';
import { Tally } from './tally.ts';

const OPENING_AT_ONCE = 50;
const BYTE_EVERY_MS = 1_000;
const STATUS_WITHIN_MS = 30_000;
const HEAD_END = '\r\n\r\n';
/** Longer than any head of a response. */
const MAX_HEAD = 8_192;
/** How often is looked whether the gateway has disconnected from all. */
const LOOK_EVERY_MS = 100;

/**
 * Clients that read a byte a second. The system keeps what they do not read in the receive buffer of the connection, which
 * does not grow while nothing is read, and then accepts no more from the gateway.
 */
export class SlowReaders {
  #readers: SlowReader[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Opens the streams, a few at a time. */
  async open({ route, spec, readers }: Extract<LoadCommand, { kind: 'read-slowly' }>): Promise<LoadResult> {
    const tally = new Tally();
    let opened = 0;
    const openInTurn = async () => {
      while (opened < readers) {
        const reader = new SlowReader(route, spec, opened++);
        this.#readers.push(reader);
        await reader.responded.then(
          () => tally.latency.add(0),
          (error: Error) => tally.fail(error.message),
        );
      }
    };
    await Promise.all(Array.from({ length: Math.min(OPENING_AT_ONCE, readers) }, openInTurn));
    this.#timer = setInterval(() => {
      for (const reader of this.#readers) reader.readByte();
    }, BYTE_EVERY_MS);
    return tally.result();
  }

  /** Waits until the gateway has disconnected from all, but not longer than the command says, and then leaves. */
  async stop({ afterMs }: Extract<LoadCommand, { kind: 'stop-reading' }>): Promise<LoadResult> {
    const end = performance.now() + afterMs;
    while (performance.now() < end && this.#readers.some(({ isCut }) => !isCut)) await delay(LOOK_EVERY_MS);
    clearInterval(this.#timer);
    const tally = new Tally();
    tally.requests = this.#readers.filter(({ isCut }) => isCut).length;
    for (const reader of this.#readers) reader.leave();
    this.#readers = [];
    return tally.result();
  }
}

/** One request over a socket that is read byte by byte: its head at once, its body a byte a second. */
class SlowReader {
  /** Rejects unless the status is the expected one. */
  readonly responded: Promise<void>;
  isCut = false;
  readonly #socket: Socket;
  #head = '';
  #isInBody = false;

  constructor(route: Route, spec: RequestSpec, turn: number) {
    const { hostname, port } = new URL(route.origin);
    const status = Promise.withResolvers<void>();
    const onByte = (_length: number, buffer: Uint8Array): boolean => {
      if (this.#isInBody) return false;
      this.#head += String.fromCharCode(buffer[0] ?? 0);
      if (!this.#head.includes(HEAD_END) && this.#head.length < MAX_HEAD) return true;
      const isExpected = this.#head.startsWith(`HTTP/1.1 ${spec.status} `);
      // The body of an error says why.
      if (!isExpected && this.#head.length < MAX_HEAD && !this.#head.endsWith('}')) return true;
      this.#isInBody = true;
      if (isExpected) status.resolve();
      else status.reject(new Error(`a slow reader got ${this.#head}`));
      return false;
    };
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      onread: { buffer: Buffer.alloc(1), callback: onByte },
    });
    const fail = (error: Error) => status.reject(error);
    this.#socket.setTimeout(STATUS_WITHIN_MS, () => fail(new Error('a slow reader got no status in time')));
    this.#socket.on('error', fail);
    this.#socket.on('close', () => {
      this.isCut = true;
      fail(new Error('the gateway disconnected from a slow reader before its status'));
    });
    this.#socket.write(requestOf(route, spec, turn));
    this.responded = status.promise;
  }

  /** Also notices that the gateway has disconnected. */
  readByte(): void {
    if (!this.#socket.destroyed) this.#socket.resume();
  }

  leave(): void {
    this.#socket.destroy();
  }
}

/** The bytes of a request. */
function requestOf(route: Route, spec: RequestSpec, turn: number): Buffer {
  const body = bodyOf(spec);
  const pairs = headersOf(spec, route, route.keys[turn % route.keys.length] ?? '');
  const lines = [
    `POST ${pathOf(spec)} HTTP/1.1`,
    `host: ${new URL(route.origin).host}`,
    `content-length: ${body.length}`,
  ];
  for (let at = 0; at + 1 < pairs.length; at += 2) lines.push(`${pairs[at]}: ${pairs[at + 1]}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}${HEAD_END}`), body]);
}
