import type { ModelFacts, RequestBound } from '../../bound.ts';
import type { CanonicalResponse } from '../../canonical/response.ts';
import type { ClientError } from '../../client-error.ts';
import type { Diagnostic } from '../../diagnostic.ts';
import { memberOf } from '../../json/object.ts';
import type {
  CanonicalResult,
  ClientRequest,
  ClientRequestResult,
  Dispatch,
  FinalUsage,
  PathParameters,
  ResponseContext,
  ResponseTransformer,
  StreamEncoder,
  StreamTransformer,
} from '../../protocol.ts';
import type { Stages } from '../../stages.ts';
import { encodeStreamError } from '../errors.ts';
import { editRequest, passthroughWarnings } from '../passthrough/edit-request.ts';
import { responseTransformer } from '../passthrough/edit-response.ts';
import { GeminiStreamTransformer } from '../passthrough/edit-stream.ts';
import { ArrayFrame, type ChunkFrame, EVENT_FRAME } from '../shared/chunk-frame.ts';
import { boundRequest } from './bound.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { GeminiStreamEncoder } from './encode-stream.ts';
import { type ParsedRequest, parseRequest } from './parse.ts';
import { checkPolicy } from './policy.ts';
import type { GeminiPolicy } from './policy-result.ts';
import { requestTexts } from './texts.ts';

/** Bytes of each piece of the prompt that distinguish conversations. */
const PROMPT_PIECE_BYTES = 4_096;

/** Reads a request: strict JSON without duplicate keys, and the types of all known fields. */
export function* parseClientRequest(body: Buffer, path: PathParameters): Stages<ClientRequestResult> {
  const result = yield* parseRequest(body, path);
  return result.ok ? { ok: true, request: new GeminiClientRequest(result.parsed) } : result;
}

/** A well-formed generateContent or streamGenerateContent request. */
export class GeminiClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly policy: GeminiPolicy;
  /** Google's clients take an event for one `data:` line and nothing else. */
  readonly keepAlive = undefined;
  readonly streamContentType: string;
  readonly #parsed: ParsedRequest;
  /** Of the stream that was begun last: an error must go on where its array is. */
  #frame: ChunkFrame = EVENT_FRAME;

  constructor(parsed: ParsedRequest) {
    const { path, request, aliases } = parsed;
    this.#parsed = parsed;
    this.model = path.model;
    this.isStream = path.stream !== 'none';
    this.outputLimit = {
      tokens: request.generationConfig?.maxOutputTokens ?? undefined,
      field: aliases.path('generationConfig.maxOutputTokens'),
    };
    this.policy = checkPolicy(parsed);
    this.streamContentType = path.stream === 'json-array' ? 'application/json; charset=utf-8' : 'text/event-stream';
    this.#beginFrame();
  }

  get prompt(): Buffer {
    const { object, aliases } = this.#parsed;
    const pieces = ['systemInstruction', 'contents'].map((field) => {
      const member = memberOf(object, aliases.path(field));
      if (member === undefined) return Buffer.alloc(0);
      const end = Math.min(member.valueEnd, member.valueStart + PROMPT_PIECE_BYTES);
      return object.bytes.subarray(member.valueStart, end);
    });
    return Buffer.concat(pieces);
  }

  bound(facts: ModelFacts): RequestBound {
    return boundRequest(this.#parsed, facts);
  }

  texts(): string[] {
    return requestTexts(this.#parsed);
  }

  canonical(): Stages<CanonicalResult> {
    return decodeRequest(this.#parsed);
  }

  editRequest(dispatch: Dispatch): Buffer {
    return editRequest(this.#parsed, this.policy, dispatch);
  }

  get passthroughWarnings(): readonly Diagnostic[] {
    return passthroughWarnings(this.#parsed);
  }

  responseTransformer(context: ResponseContext): ResponseTransformer {
    return responseTransformer(context);
  }

  streamTransformer(context: ResponseContext): StreamTransformer {
    return new GeminiStreamTransformer(context, this.#beginFrame());
  }

  encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer {
    return encodeResponse(response, final, context);
  }

  streamEncoder(context: ResponseContext): StreamEncoder {
    return new GeminiStreamEncoder(context, this.#beginFrame());
  }

  encodeStreamError(error: ClientError, traceId: string): Buffer {
    return encodeStreamError(error, traceId, this.#frame);
  }

  #beginFrame(): ChunkFrame {
    this.#frame = this.#parsed.path.stream === 'json-array' ? new ArrayFrame() : EVENT_FRAME;
    return this.#frame;
  }
}
