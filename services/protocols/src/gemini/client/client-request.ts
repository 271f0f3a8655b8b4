import type { ModelFacts, RequestBound } from '../../bound.ts';
import type { CanonicalResponse } from '../../canonical/response.ts';
import type { ClientError } from '../../client-error.ts';
import type { FieldNote } from '../../field-note.ts';
import { memberOf } from '../../json/object.ts';
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
import type { Stages } from '../../stages.ts';
import { geminiErrorBody } from '../errors.ts';
import { forwardGeminiRequest } from '../passthrough/edit-request.ts';
import { geminiAnswerPassage } from '../passthrough/edit-response.ts';
import { GeminiStreamPassage } from '../passthrough/edit-stream.ts';
import { ArrayFrame, type ChunkFrame, EVENT_FRAME } from '../shared/chunk-frame.ts';
import { boundGeminiRequest } from './bound.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeWhole } from './encode-response.ts';
import { GeminiStreamEncoder } from './encode-stream.ts';
import type { DecodedGeminiRequest } from './parse.ts';
import { type GeminiGuard, guardGeminiRequest } from './policy.ts';
import { geminiTexts } from './texts.ts';

/** Bytes of each piece of the prompt that tell conversations apart. */
const PROMPT_PIECE_BYTES = 4_096;

/** A generateContent or streamGenerateContent request, with all that becomes of it. */
export class GeminiClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly guard: GeminiGuard;
  /** Google's clients take an event for one `data:` line and nothing else. */
  readonly keepAlive = undefined;
  readonly streamContentType: string;
  readonly #decoded: DecodedGeminiRequest;
  /** Of the stream that was begun last: an error must go on where its array is. */
  #frame: ChunkFrame = EVENT_FRAME;

  constructor(decoded: DecodedGeminiRequest) {
    const { call, request, spelling } = decoded;
    this.#decoded = decoded;
    this.model = call.model;
    this.isStream = call.stream !== 'none';
    this.outputLimit = {
      tokens: request.generationConfig?.maxOutputTokens ?? undefined,
      field: spelling.path('generationConfig.maxOutputTokens'),
    };
    this.guard = guardGeminiRequest(decoded);
    this.streamContentType = call.stream === 'json-array' ? 'application/json; charset=utf-8' : 'text/event-stream';
    this.#beginFrame();
  }

  get prompt(): Buffer {
    const { object, spelling } = this.#decoded;
    const pieces = ['systemInstruction', 'contents'].map((field) => {
      const member = memberOf(object, spelling.path(field));
      if (member === undefined) return Buffer.alloc(0);
      const end = Math.min(member.valueEnd, member.valueStart + PROMPT_PIECE_BYTES);
      return object.bytes.subarray(member.valueStart, end);
    });
    return Buffer.concat(pieces);
  }

  bound(facts: ModelFacts): RequestBound {
    return boundGeminiRequest(this.#decoded, facts);
  }

  texts(): string[] {
    return geminiTexts(this.#decoded.request);
  }

  canonical(): Stages<CanonicalReading> {
    return decodeRequest(this.#decoded);
  }

  forward(dispatch: Dispatch): Buffer {
    return forwardGeminiRequest(this.#decoded, this.guard, dispatch);
  }

  get forwardWarnings(): readonly FieldNote[] {
    return this.guard.foreign;
  }

  passWhole(context: AnswerContext): AnswerPassage {
    return geminiAnswerPassage(context);
  }

  passStream(context: AnswerContext): StreamPassage {
    return new GeminiStreamPassage(context, this.#beginFrame());
  }

  encodeWhole(response: CanonicalResponse, final: FinalUsage, context: AnswerContext): Buffer {
    return encodeWhole(response, final, context);
  }

  streamEncoder(context: AnswerContext): StreamEncoder {
    return new GeminiStreamEncoder(context, this.#beginFrame());
  }

  streamError(error: ClientError, traceId: string): Buffer {
    const frame = this.#frame;
    return Buffer.concat([frame.text(geminiErrorBody(error, traceId)), frame.end()]);
  }

  #beginFrame(): ChunkFrame {
    this.#frame = this.#decoded.call.stream === 'json-array' ? new ArrayFrame() : EVENT_FRAME;
    return this.#frame;
  }
}
