import type { SocketErrorFields } from '@tollgate/protocols/openai-responses/socket/events';
import {
  type CreateMessage,
  maxBodyBytes,
  messageBody,
  readSocketMessage,
} from '@tollgate/protocols/openai-responses/socket/message';
import type { Reservation } from '../../shared/buffers/buffer-budget.ts';
import { type ApiError, apiErrors } from '../../shared/errors/api-error.ts';
import { type CapacityReason, memoryError } from '../../shared/errors/capacity.ts';
import { pausesFor, runStages } from '../../shared/scheduling.ts';
import type { BodyResult } from '../http/body.ts';
import type { MessageTurn } from '../http/connections.ts';

export interface TurnOptions {
  message: Buffer;
  /** Memory for the message, which becomes the request's body. */
  reservation: Reservation;
  /** Maximum size of a body. */
  maxBytes: number;
  /** The input and output items of the socket's last response; undefined if it has another id. */
  itemsOf: (responseId: string) => Buffer | undefined;
}

/**
 * One message of a WebSocket, which is served as the HTTP request that it stands for. The message is read only once its
 * key is known to be active, like the body of a request.
 */
export class Turn implements MessageTurn {
  readonly reservation: Reservation;
  readonly #options: TurnOptions;
  #message: CreateMessage | undefined;
  #continues = false;
  #items: Buffer | undefined;
  #errorFields: SocketErrorFields = {};

  constructor(options: TurnOptions) {
    this.#options = options;
    this.reservation = options.reservation;
  }

  /** Whether the response is only prepared: nothing is generated. */
  get isWarmUp(): boolean {
    return this.#message?.generates === false;
  }

  get streamId(): string | undefined {
    return this.#message?.streamId;
  }

  /** The id of the response to continue. */
  get previousResponseId(): string | undefined {
    return this.#message?.previousResponseId;
  }

  /** Whether it continues the socket's last response. */
  get continues(): boolean {
    return this.#continues;
  }

  /** All items of its input, once its body was read; undefined for an invalid message. */
  get items(): Buffer | undefined {
    return this.#items;
  }

  /** What its error event has beside the error response. */
  get errorFields(): SocketErrorFields {
    return this.#errorFields;
  }

  /** Creates the body of the request. */
  async readBody(): Promise<BodyResult> {
    const { message: bytes, maxBytes, itemsOf } = this.#options;
    const pause = pausesFor(bytes.length);
    await pause();
    const read = readSocketMessage(bytes);
    if (read.kind === 'ignored') return refused(apiErrors.invalidField('type: the message is too large'));
    if (read.kind === 'invalid') return refused(apiErrors.invalidField(read.error.message));
    const { message } = read;
    this.#message = message;
    const { previousResponseId } = message;
    const earlier = previousResponseId === undefined ? undefined : itemsOf(previousResponseId);
    if (previousResponseId !== undefined && earlier === undefined) {
      this.#errorFields = { code: 'previous_response_not_found', param: 'previous_response_id' };
      return refused(apiErrors.previousResponseNotFound(previousResponseId));
    }
    this.#continues = earlier !== undefined;
    if (earlier !== undefined && earlier.length + bytes.length > maxBytes)
      return refused(apiErrors.conversationTooLarge(maxBytes));
    const size = maxBodyBytes(message, earlier);
    const shortage = await this.#reserve(size);
    if (shortage !== undefined) return refused(memoryError(shortage));
    await pause();
    const body = await runStages(messageBody(message, earlier), pausesFor(size));
    this.#items = body.items;
    return { kind: 'body', bytes: body.bytes };
  }

  /** Reserves what the body needs beyond the message, whose memory it takes over. */
  #reserve(bytes: number): Promise<CapacityReason | undefined> {
    const more = bytes - this.reservation.bytes;
    return more > 0 ? this.reservation.grow(more) : Promise.resolve(undefined);
  }
}

function refused(error: ApiError): BodyResult {
  return { kind: 'refused', error };
}
