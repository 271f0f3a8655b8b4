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
import { encodeSseComment } from '../../sse/encode.ts';
import type { Stages } from '../../stages.ts';
import { encodeStreamError } from '../errors.ts';
import { forwardRequest, forwardWarnings } from '../passthrough/edit-request.ts';
import { answerPassage } from '../passthrough/edit-response.ts';
import { ResponsesStreamPassage } from '../passthrough/edit-stream.ts';
import type { ResponsesRequest } from '../schema.ts';
import type { StreamPlace } from '../shared/stream-position.ts';
import { boundRequest } from './bound.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeWhole } from './encode-response.ts';
import { ResponsesStreamEncoder } from './encode-stream.ts';
import type { DecodedRequest } from './parse.ts';
import { guardRequest, type ResponsesGuard } from './policy.ts';
import { textsOf } from './texts.ts';

const KEEP_ALIVE = encodeSseComment('keep-alive');

/** A request to create a response, with all that becomes of it. */
export class ResponsesClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly guard: ResponsesGuard;
  readonly keepsItems: boolean;
  readonly keepAlive = KEEP_ALIVE;
  readonly streamContentType = 'text/event-stream; charset=utf-8';
  readonly #decoded: DecodedRequest;
  /** Of the stream begun last, for an error within it. */
  #place: StreamPlace | undefined;

  constructor(decoded: DecodedRequest) {
    const { request } = decoded;
    this.#decoded = decoded;
    this.model = request.model;
    this.isStream = request.stream ?? false;
    this.outputLimit = { tokens: request.max_output_tokens ?? undefined, field: 'max_output_tokens' };
    this.guard = guardRequest(decoded);
    this.keepsItems = request.store ?? true;
  }

  /** Instructions are the same in all turns; where they are short, it is the input that tells conversations apart. */
  get prompt(): Buffer {
    const { object } = this.#decoded;
    const spans = [memberOf(object, 'instructions'), memberOf(object, 'input')];
    const texts = spans.flatMap((span) =>
      span === undefined ? [] : [object.bytes.subarray(span.valueStart, span.valueEnd)],
    );
    return texts.length === 1 ? (texts[0] ?? Buffer.alloc(0)) : Buffer.concat(texts);
  }

  bound(facts: ModelFacts): RequestBound {
    return boundRequest(this.#decoded, facts);
  }

  texts(): string[] {
    return textsOf(this.#decoded.request);
  }

  canonical(): Stages<CanonicalReading> {
    return decodeRequest(this.#decoded, this.guard);
  }

  forward(dispatch: Dispatch): Buffer {
    return forwardRequest(this.#decoded, this.guard, dispatch);
  }

  get forwardWarnings(): readonly FieldNote[] {
    return forwardWarnings(this.#decoded);
  }

  passWhole(context: AnswerContext): AnswerPassage {
    return answerPassage(context);
  }

  passStream(context: AnswerContext): StreamPassage {
    return new ResponsesStreamPassage(context, this.#begin(context));
  }

  encodeWhole(response: CanonicalResponse, final: FinalUsage, context: AnswerContext): Buffer {
    return encodeWhole(this.#effective(), response, final, context);
  }

  streamEncoder(context: AnswerContext): StreamEncoder {
    return new ResponsesStreamEncoder(this.#effective(), context, this.#begin(context));
  }

  streamError(error: ClientError, traceId: string): Buffer {
    return encodeStreamError(error, traceId, this.#place);
  }

  /** The request without the tools that are left out: what an answer repeats is what was asked. */
  #effective(): ResponsesRequest {
    const { request } = this.#decoded;
    const { droppedTools, droppedFields } = this.guard;
    if (droppedTools.size === 0) return request;
    const tools = (request.tools ?? []).filter((_, index) => !droppedTools.has(index));
    return droppedFields.has('tool_choice') ? { ...request, tools, tool_choice: 'auto' } : { ...request, tools };
  }

  #begin({ model, created, newId }: AnswerContext): StreamPlace {
    const place: StreamPlace = { sequence: 0, response: undefined, model, created, newId };
    this.#place = place;
    return place;
  }
}
