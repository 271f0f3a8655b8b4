import type { ModelFacts, RequestBound } from '../../bound.ts';
import type { CanonicalResponse } from '../../canonical/response.ts';
import type { ClientError } from '../../client-error.ts';
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
import { encodeSseComment } from '../../sse/encode.ts';
import { boundChatRequest } from '../bound.ts';
import { encodeChatStreamError } from '../errors.ts';
import { type ChatGuard, guardChatRequest } from '../guard.ts';
import { chatAnswerPassage } from '../passthrough/answer-passage.ts';
import { ChatStreamPassage } from '../passthrough/stream-passage.ts';
import { chatRequestEdits } from '../request-edits.ts';
import type { DecodedChatRequest } from './read.ts';
import { chatTexts } from './texts.ts';

const KEEP_ALIVE = encodeSseComment('keep-alive');

/** A chat-completions request, with all that becomes of it. */
export class ChatClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly guard: ChatGuard;
  readonly keepAlive = KEEP_ALIVE;
  readonly streamContentType = 'text/event-stream; charset=utf-8';
  readonly #decoded: DecodedChatRequest;

  constructor(decoded: DecodedChatRequest) {
    this.#decoded = decoded;
    this.model = decoded.model;
    this.isStream = decoded.isStream;
    this.outputLimit = { tokens: decoded.outputLimit, field: limitField(decoded) };
    this.guard = guardChatRequest(decoded);
  }

  get prompt(): Buffer {
    const { object } = this.#decoded;
    const messages = memberOf(object, 'messages');
    return object.bytes.subarray(messages?.valueStart, messages?.valueEnd);
  }

  bound(facts: ModelFacts): RequestBound {
    return boundChatRequest(this.#decoded, facts);
  }

  texts(): string[] {
    return chatTexts(this.#decoded.request);
  }

  canonical(): CanonicalReading {
    return { ok: false, error: { path: '', message: 'models of other protocols are not reached from here' } };
  }

  forward(dispatch: Dispatch): Buffer {
    const edits = chatRequestEdits(this.#decoded, { ...dispatch, outputLimitField: 'max_completion_tokens' });
    return splice(this.#decoded.object, [...this.guard.edits, ...edits]);
  }

  passWhole(context: AnswerContext): AnswerPassage {
    return chatAnswerPassage(context);
  }

  passStream(context: AnswerContext): StreamPassage {
    return new ChatStreamPassage(context, this.#decoded.includeUsage);
  }

  encodeWhole(_response: CanonicalResponse, _final: FinalUsage, _context: AnswerContext): Buffer {
    return Buffer.alloc(0);
  }

  streamEncoder(_context: AnswerContext): StreamEncoder {
    return { push: () => undefined, close: () => Buffer.alloc(0) };
  }

  streamError(error: ClientError, traceId: string): Buffer {
    return encodeChatStreamError(error, traceId);
  }
}

/** The limit's name as the client gave it; the newer one where it gave none. */
function limitField({ request }: DecodedChatRequest): string {
  const isOldName = typeof request.max_tokens === 'number' && typeof request.max_completion_tokens !== 'number';
  return isOldName ? 'max_tokens' : 'max_completion_tokens';
}
