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
import type { Stages } from '../../stages.ts';
import { encodeChatStreamError } from '../errors.ts';
import { chatAnswerPassage } from '../passthrough/answer-passage.ts';
import { chatRequestEdits } from '../passthrough/edit-request.ts';
import { ChatStreamPassage } from '../passthrough/edit-stream.ts';
import { foreignSealEdits } from '../passthrough/foreign-signatures.ts';
import { boundChatRequest } from './bound.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeWhole } from './encode-response.ts';
import { ChatStreamEncoder } from './encode-stream.ts';
import type { DecodedChatRequest } from './parse.ts';
import { type ChatGuard, guardChatRequest } from './policy.ts';
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

  /** A client that declares functions in the way that was before tools wants its calls in that way too. */
  get #takesOneCall(): boolean {
    const { tools, functions } = this.#decoded.request;
    return (functions?.length ?? 0) > 0 && (tools?.length ?? 0) === 0;
  }

  bound(facts: ModelFacts): RequestBound {
    return boundChatRequest(this.#decoded, facts);
  }

  texts(): string[] {
    return chatTexts(this.#decoded.request);
  }

  canonical(): Stages<CanonicalReading> {
    return decodeRequest(this.#decoded.request);
  }

  forward(dispatch: Dispatch): Buffer {
    const edits = chatRequestEdits(this.#decoded, dispatch);
    return splice(this.#decoded.object, [...this.guard.edits, ...foreignSealEdits(this.#decoded), ...edits]);
  }

  passWhole(context: AnswerContext): AnswerPassage {
    return chatAnswerPassage(context);
  }

  passStream(context: AnswerContext): StreamPassage {
    return new ChatStreamPassage(context, this.#decoded.includeUsage);
  }

  encodeWhole(response: CanonicalResponse, final: FinalUsage, context: AnswerContext): Buffer {
    return encodeWhole(response, final, context, { single: this.#takesOneCall });
  }

  streamEncoder(context: AnswerContext): StreamEncoder {
    return new ChatStreamEncoder(context, {
      single: this.#takesOneCall,
      includeUsage: this.#decoded.includeUsage,
    });
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
