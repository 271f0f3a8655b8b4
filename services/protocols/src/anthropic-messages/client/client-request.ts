import type { ModelFacts, RequestBound } from '../../bound.ts';
import type { CanonicalResponse } from '../../canonical/response.ts';
import type { ClientError } from '../../client-error.ts';
import type { FieldNote } from '../../field-note.ts';
import { memberOf } from '../../json/object.ts';
import { splice } from '../../json/splice.ts';
import type {
  AnswerContext,
  AnswerPassage,
  CanonicalReading,
  ClientRequest,
  Dispatch,
  FinalUsage,
  StreamEncoder,
  StreamPassage,
} from '../../protocol.ts';
import { encodeSseEvent } from '../../sse/encode.ts';
import type { Stages } from '../../stages.ts';
import { encodeMessagesStreamError } from '../errors.ts';
import { dispatchEdits } from '../passthrough/edit-request.ts';
import { readAnswer } from '../passthrough/edit-response.ts';
import { MessagesPassage } from '../passthrough/edit-stream.ts';
import { boundRequest } from './bound.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { MessagesStreamEncoder } from './encode-stream.ts';
import type { ReadRequest } from './parse.ts';
import { guardPassage, guardRequest, type PassageGuard } from './policy.ts';
import { requestTexts } from './texts.ts';

const PING = encodeSseEvent('{"type":"ping"}', 'ping');

/** A well-formed request of a client of this protocol. */
export class MessagesClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly guard: PassageGuard;
  readonly keepAlive = PING;
  readonly streamContentType = 'text/event-stream; charset=utf-8';
  readonly #read: ReadRequest;
  #passage: Pick<PassageGuard, 'warnings' | 'edits'> | undefined;

  constructor(read: ReadRequest) {
    const { request } = read;
    this.#read = read;
    this.model = request.model;
    this.isStream = request.stream ?? false;
    this.outputLimit = { tokens: request.max_tokens ?? undefined, field: 'max_tokens' };
    this.guard = guardRequest(read);
  }

  bound(facts: ModelFacts): RequestBound {
    return boundRequest(this.#read.request, facts);
  }

  get prompt(): Buffer {
    const { object } = this.#read;
    const messages = memberOf(object, 'messages');
    return object.bytes.subarray(messages?.valueStart ?? 0, messages?.valueEnd);
  }

  texts(): string[] {
    return requestTexts(this.#read.request);
  }

  canonical(): Stages<CanonicalReading> {
    return decodeRequest(this.#read);
  }

  get forwardWarnings(): readonly FieldNote[] {
    return this.#forPassage().warnings;
  }

  forward(dispatch: Dispatch): Buffer {
    const own = [...this.guard.edits, ...this.#forPassage().edits];
    const isThinkingRemoved = own.some((edit) => edit.path[0] === 'thinking');
    const edits = dispatchEdits(this.#read.request, dispatch);
    const others = isThinkingRemoved ? edits.filter((edit) => edit.path[0] !== 'thinking') : edits;
    return splice(this.#read.object, [...own, ...others]);
  }

  passWhole(context: AnswerContext): AnswerPassage {
    return { read: (body) => readAnswer(body, context) };
  }

  passStream(context: AnswerContext): StreamPassage {
    return new MessagesPassage(context);
  }

  encodeWhole(response: CanonicalResponse, final: FinalUsage, context: AnswerContext): Buffer {
    return encodeResponse(response, final, context);
  }

  streamEncoder(context: AnswerContext): StreamEncoder {
    return new MessagesStreamEncoder(context);
  }

  streamError(error: ClientError, traceId: string): Buffer {
    return encodeMessagesStreamError(error, traceId);
  }

  #forPassage(): Pick<PassageGuard, 'warnings' | 'edits'> {
    this.#passage ??= guardPassage(this.#read);
    return this.#passage;
  }
}
