import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type ContinuableResponse,
  continuableResponse,
  continuationEvent,
  type ErrorResponse,
  socketErrorEvent,
  socketEvent,
} from '@tollgate/protocols/openai-responses/socket/events';
import { SseParser } from '@tollgate/protocols/sse/parse';
import type { Turn } from './turn.ts';

/** How the response to a message ended. */
export type TurnEnd =
  | { kind: 'response'; response: ContinuableResponse }
  /** It has failed, and its client has received the error. */
  | { kind: 'failed' }
  /** It broke off before its end. */
  | { kind: 'broken' };

/** Events are written by this process, which holds back what is larger. */
const MAX_EVENT_BYTES = 128 * 1024 * 1024;
const MAX_ERROR_BYTES = 256 * 1024;

/** Response headers that clients of a WebSocket get with its events. */
const EVENT_HEADERS =
  /^(?:x-request-id|x-trace-id|x-tollgate-.*|x-ratelimit-.*|retry-after|retry-after-ms|x-should-retry)$/;

/** Sends the response of a message's request as events. */
export class TurnRelay {
  readonly #turn: Turn;
  readonly #send: (event: Buffer | string) => void;
  readonly #parser = new SseParser({ maxEventBytes: MAX_EVENT_BYTES });
  #headers: Record<string, string> | undefined;
  #response: ContinuableResponse | undefined;
  #isFailed = false;

  /** @param send sends one event to the client */
  constructor(turn: Turn, send: (event: Buffer | string) => void) {
    this.#turn = turn;
    this.#send = send;
  }

  /** Reads a response to its end. */
  read(res: IncomingMessage): Promise<TurnEnd> {
    this.#headers = eventHeaders(res.headers);
    return res.headers['content-type']?.startsWith('text/event-stream') === true
      ? this.#readEvents(res)
      : this.#readError(res, this.#headers);
  }

  #readEvents(res: IncomingMessage): Promise<TurnEnd> {
    res.on('data', (chunk: Buffer) => {
      for (const { data, type } of this.#parser.push(chunk).events) if (data !== undefined) this.#event(data, type);
    });
    return ended(res, () => {
      if (this.#response !== undefined) return { kind: 'response', response: this.#response };
      return { kind: this.#isFailed ? 'failed' : 'broken' };
    });
  }

  #event(data: Buffer, type: string): void {
    const headers = this.#headers;
    this.#headers = undefined;
    const response = continuableResponse(data);
    if (response !== undefined) this.#response = response;
    if (type === 'response.failed') this.#isFailed = true;
    const { streamId, previousResponseId: previous } = this.#turn;
    this.#send(
      socketEvent(previous === undefined ? data : continuationEvent(data, type, previous), { streamId, headers }),
    );
  }

  #readError(res: IncomingMessage, headers: Record<string, string>): Promise<TurnEnd> {
    const chunks: Buffer[] = [];
    let size = 0;
    res.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_ERROR_BYTES) chunks.push(chunk);
    });
    return ended(res, () => {
      const error: ErrorResponse = { status: res.statusCode ?? 500, body: Buffer.concat(chunks), headers };
      this.#send(socketErrorEvent(error, this.#turn.errorFields, this.#turn.streamId));
      return { kind: 'failed' };
    });
  }
}

/** The end of a response: `broken` if its connection was closed before. */
function ended(res: IncomingMessage, atEnd: () => TurnEnd): Promise<TurnEnd> {
  return new Promise((resolve) => {
    res.once('end', () => resolve(atEnd()));
    res.once('close', () => resolve({ kind: 'broken' }));
    res.on('error', () => undefined);
  });
}

function eventHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && EVENT_HEADERS.test(name) ? [[name, value]] : [],
    ),
  );
}
