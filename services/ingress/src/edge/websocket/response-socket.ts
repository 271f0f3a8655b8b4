import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@tollgate/common/logging';
import { socketErrorEvent } from '@tollgate/protocols/openai-responses/socket/events';
import { joinItems, readSocketMessage } from '@tollgate/protocols/openai-responses/socket/message';
import type { WebSocket } from 'ws';
import type { BufferBudget, Reservation } from '../../shared/buffers/buffer-budget.ts';
import { type ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { errorBody } from '../../shared/errors/render.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';
import { TokenBucket, type TokenBucketRate } from '../authenticate/token-bucket.ts';
import { callInProcess, type TurnOrigin } from './in-process-call.ts';
import type { KeptResponses } from './kept-responses.ts';
import { CLOSE, type CloseReason, socketErrors } from './socket-errors.ts';
import { Turn } from './turn.ts';
import { type TurnEnd, TurnRelay } from './turn-relay.ts';

export interface ResponseSocketDependencies {
  /** Serves the requests of messages. */
  server: Server;
  requestBuffers: BufferBudget;
  kept: KeptResponses;
  logger: Logger;
  limits: SocketLimits;
}

/** Milliseconds, except `maxMessageBytes`. */
export interface SocketLimits {
  maxMessageBytes: number;
  /** Without a message and a running response. */
  idleMs: number;
  /** From the start of the connection. */
  lifeMs: number;
  /** Without output, after which the client gets a ping. */
  pingMs: number;
  /** Without the client reading or answering a ping. */
  stallMs: number;
}

/** An accepted WebSocket. */
export interface AcceptedSocket {
  ws: WebSocket;
  stream: Socket;
  origin: TurnOrigin;
  key: AuthenticatedKey;
  traceId: string;
  traceUuid: string;
}

/** An acknowledgement is shorter than this. */
const SMALL_MESSAGE_BYTES = 64 * 1024;
/** Messages that may wait while a response runs: reading stops at the first, but others may have arrived with it. */
const MAX_WAITING = 16;
/** Frames that cause no request, and so count against no other limit: pings, pongs, acknowledgements, and all at the end. */
const FRAMES_WITHOUT_REQUEST: TokenBucketRate = { burst: 100, perSecond: 10 };
/** How long a client that was cut off may take to read why. */
const LINGER_MS = 2_000;
/** A frame's header and mask, at least. */
const FRAME_BYTES = 6;

/** A complete message that nothing has looked at yet. */
interface WaitingMessage {
  data: Buffer;
  reservation: Reservation;
}

/**
 * A WebSocket on which a client creates responses, one after another. Each message is served as a request of its own, and
 * so limited as one. While a message waits for a running response, nothing is read from the client; while output waits
 * for the client, neither from it nor from the running response. A client that sends too much all the same is cut off.
 */
export class ResponseSocket {
  readonly key: AuthenticatedKey;
  readonly #deps: ResponseSocketDependencies;
  readonly #socket: AcceptedSocket;
  readonly #openedAt = performance.now();
  readonly #waiting: WaitingMessage[] = [];
  readonly #frames: TokenBucket;
  #incoming: Reservation;
  #running: { call: ClientRequest; response: IncomingMessage | undefined } | undefined;
  #activeAt = this.#openedAt;
  #sentAt = this.#openedAt;
  #pingedAt: number | undefined;
  #waitsForMemory = false;
  #closing: CloseReason | undefined;
  #isCutOff = false;
  #responses = 0;

  constructor(deps: ResponseSocketDependencies, socket: AcceptedSocket, onClosed: () => void) {
    this.#deps = deps;
    this.#socket = socket;
    this.key = socket.key;
    this.#incoming = deps.requestBuffers.open(socket.key.accountId);
    this.#frames = new TokenBucket(FRAMES_WITHOUT_REQUEST, this.#openedAt);
    const { ws, stream } = socket;
    // Before the library reads the same bytes: those that complete a message belong to it.
    stream.prependListener('data', (chunk: Buffer) => this.#received(chunk.length));
    stream.on('drain', () => this.#flow());
    stream.setTimeout(deps.limits.stallMs);
    stream.on('timeout', () => {
      if (stream.writableLength > 0) ws.terminate();
    });
    ws.on('message', (data: Buffer, isBinary) => this.#message(data, isBinary));
    ws.on('ping', (data) => this.#ping(data));
    ws.on('pong', (data) => void this.#mayHandle(data));
    ws.on('error', (error) => deps.logger.debug({ err: error, trace_id: socket.traceId }, 'a WebSocket failed'));
    ws.once('close', (code) => {
      this.#closed(code);
      onClosed();
    });
  }

  /** Closes once no response is running, and serves no more messages. Of several reasons, the first is sent. */
  close(reason: CloseReason): void {
    this.#closing ??= reason;
    this.#dropWaiting();
    this.#flow();
    if (this.#running === undefined) this.#socket.ws.close(this.#closing.code, this.#closing.text);
  }

  /** Closes at once; a running response ends as if its client had disconnected. */
  terminate(): void {
    this.#socket.ws.terminate();
  }

  /** Sends a ping, or closes, if it is time. */
  check(now: number): void {
    const { idleMs, lifeMs, pingMs, stallMs } = this.#deps.limits;
    const { ws } = this.#socket;
    if (this.#closing !== undefined) return;
    if (this.#pingedAt !== undefined && now - this.#pingedAt > stallMs && !ws.isPaused) {
      ws.terminate();
      return;
    }
    if (now - this.#openedAt > lifeMs && this.#running === undefined) {
      this.#sendError(socketErrors.lifetime(lifeMs), 'websocket_connection_limit_reached');
      this.close(CLOSE.lifetime);
      return;
    }
    if (now - this.#activeAt > idleMs && this.#running === undefined) {
      this.close(CLOSE.idle);
      return;
    }
    if (now - this.#sentAt > pingMs && !this.#socket.stream.writableNeedDrain) {
      this.#sentAt = now;
      this.#pingedAt ??= now;
      ws.ping();
    }
  }

  /** Reserves memory for bytes of a message that is not complete. Waits if there is none. */
  #received(bytes: number): void {
    const incoming = this.#incoming;
    this.#pingedAt = undefined;
    if (incoming.tryGrow(bytes)) return;
    this.#waitsForMemory = true;
    this.#flow();
    void incoming.grow(bytes).then((shortage) => {
      this.#waitsForMemory = false;
      this.#flow();
      // A message that was complete has its own memory.
      if (shortage !== undefined && incoming === this.#incoming) this.close(CLOSE.noMemory);
    });
  }

  #message(data: Buffer, isBinary: boolean): void {
    const reservation = this.#incoming;
    this.#incoming = this.#deps.requestBuffers.open(this.key.accountId);
    this.#activeAt = performance.now();
    if (isBinary) this.close(CLOSE.binary);
    if (this.#closing !== undefined) {
      reservation.release();
      this.#countFrame();
      return;
    }
    this.#waiting.push({ data, reservation });
    if (this.#waiting.length > MAX_WAITING) this.#cutOff();
    else this.#serveNext();
  }

  /** Serves the message that has waited longest, if no response is running. */
  #serveNext(): void {
    while (this.#running === undefined) {
      const message = this.#waiting.shift();
      if (message === undefined) break;
      if (isAcknowledgement(message.data)) {
        message.reservation.release();
        this.#countFrame();
        continue;
      }
      this.#serve(message).catch((error: unknown) => {
        this.#deps.logger.error({ err: error, trace_id: this.#socket.traceId }, 'a message could not be served');
        this.terminate();
      });
    }
    this.#flow();
  }

  /** Serves a message as a request, until its response has ended. */
  async #serve({ data: message, reservation }: WaitingMessage): Promise<void> {
    const { server, kept, limits } = this.#deps;
    const itemsOf = (id: string) => kept.itemsOf(this, this.key.accountId, id);
    const turn = new Turn({ message, reservation, maxBytes: limits.maxMessageBytes, itemsOf });
    const call = callInProcess(server, this.#socket.origin, turn);
    const running = { call, response: undefined as IncomingMessage | undefined };
    this.#running = running;
    this.#responses += 1;
    const relay = new TurnRelay(turn, (event) => this.#send(event));
    const end = await new Promise<TurnEnd>((resolve) => {
      call.once('response', (res) => {
        running.response = res;
        resolve(relay.read(res));
        this.#flow();
      });
      call.on('error', () => resolve({ kind: 'broken' }));
    });
    reservation.release();
    await this.#ended(turn, end);
    this.#running = undefined;
    this.#activeAt = performance.now();
    if (this.#closing === undefined) this.#serveNext();
    else if (!this.#isCutOff) this.close(this.#closing);
  }

  /** Keeps the response for the next message. A failed continuation drops what it continued. */
  async #ended(turn: Turn, end: TurnEnd): Promise<void> {
    const { kept } = this.#deps;
    const { accountId } = this.key;
    if (!this.#isOpen) return;
    switch (end.kind) {
      case 'response': {
        const items = joinItems(turn.items, end.response.output);
        if (items === undefined) kept.drop(this, accountId);
        else await kept.keep(this, accountId, { id: end.response.id, items: Buffer.from(items) }, () => this.#isOpen);
        return;
      }
      case 'broken':
        this.#sendError(apiErrors.internal(undefined), undefined, turn.streamId);
        if (turn.continues) kept.drop(this, accountId);
        return;
      case 'failed':
        if (turn.continues) kept.drop(this, accountId);
        return;
      default:
        end satisfies never;
    }
  }

  get #isOpen(): boolean {
    return this.#socket.ws.readyState === this.#socket.ws.OPEN;
  }

  /** Closes at once, even while a response is running, and reads no more: a close waits for the client otherwise. */
  #cutOff(): void {
    this.#isCutOff = true;
    this.#sendError(socketErrors.tooManyMessages());
    this.#closing = CLOSE.tooMany;
    this.#dropWaiting();
    this.#running?.call.destroy();
    const { ws, stream } = this.#socket;
    ws.close(CLOSE.tooMany.code, CLOSE.tooMany.text);
    stream.end();
    setTimeout(() => this.terminate(), LINGER_MS).unref();
    this.#flow();
  }

  #dropWaiting(): void {
    for (const { reservation } of this.#waiting.splice(0)) reservation.release();
  }

  #sendError(error: ApiError, code?: string, streamId?: string): void {
    const body = Buffer.from(errorBody(error, 'model', this.#socket.traceUuid));
    this.#send(socketErrorEvent({ status: error.status, body, headers: {} }, { code }, streamId));
  }

  #send(event: Buffer | string): void {
    const { ws } = this.#socket;
    if (!this.#isOpen) return;
    this.#sentAt = performance.now();
    ws.send(event, { binary: false }, () => undefined);
    this.#flow();
  }

  /** Stops and resumes reading from the client and from the running response. */
  #flow(): void {
    const { ws, stream } = this.#socket;
    const waitsForClient = stream.writableNeedDrain;
    const mayRead = !waitsForClient && !this.#waitsForMemory && this.#waiting.length === 0 && !this.#isCutOff;
    if (mayRead && ws.isPaused) ws.resume();
    else if (!mayRead && !ws.isPaused) ws.pause();
    const response = this.#running?.response;
    if (waitsForClient) response?.pause();
    else if (response?.isPaused() === true) response.resume();
  }

  /** Answers a ping unless output waits: the client may then be one that never reads. */
  #ping(data: Buffer): void {
    const { ws, stream } = this.#socket;
    if (this.#mayHandle(data) && this.#isOpen && !stream.writableNeedDrain) ws.pong(data, false, () => undefined);
  }

  /** Whether a control frame may be handled. It is no part of a message. */
  #mayHandle(data: Buffer): boolean {
    const { bytes } = this.#incoming;
    this.#incoming.shrinkTo(Math.max(0, bytes - data.length - FRAME_BYTES));
    return this.#countFrame();
  }

  /** Counts a frame that causes no request; false if it was one too many. */
  #countFrame(): boolean {
    if (this.#isCutOff) return false;
    const now = performance.now();
    if (this.#frames.waitMs(now) > 0) {
      this.#cutOff();
      return false;
    }
    this.#frames.take(now);
    return true;
  }

  #closed(code: number): void {
    const { kept, logger } = this.#deps;
    const { key, traceId } = this.#socket;
    this.#running?.call.destroy();
    this.#dropWaiting();
    this.#incoming.release();
    kept.drop(this, key.accountId);
    logger.info(
      {
        trace_id: traceId,
        account_id: key.accountId,
        key_id: key.keyId,
        code,
        reason: this.#closing?.name ?? 'client',
        responses: this.#responses,
        duration_ms: Math.round(performance.now() - this.#openedAt),
      },
      'WebSocket closed',
    );
  }
}

function isAcknowledgement(message: Buffer): boolean {
  return message.length < SMALL_MESSAGE_BYTES && readSocketMessage(message).kind === 'ignored';
}
