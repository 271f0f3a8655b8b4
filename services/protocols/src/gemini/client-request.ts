import type { CanonicalResponse } from '../canonical/response.ts';
import type { ClientError } from '../interface/errors.ts';
import type { RequestedHostedTools } from '../interface/hosted-tools.ts';
import type {
  CanonicalResult,
  ClientCount,
  ClientRequest,
  ClientRequestResult,
  Dispatch,
  FinalUsage,
  PathParameters,
  ResponseContext,
  ResponseTransformer,
  StreamEncoder,
  StreamTransformer,
} from '../interface/protocol.ts';
import { memberOf } from '../json/object.ts';
import { scanObject } from '../json/scan.ts';
import type { Stages } from '../lists/stages.ts';
import type { ModelFacts, RequestBound } from '../request/bound.ts';
import type { Diagnostic } from '../request/diagnostics.ts';
import { diagnostic } from '../request/diagnostics.ts';
import { MAX_REQUEST_DEPTH, MAX_REQUEST_VALUES } from '../request/parse-json-request.ts';
import { boundRequest } from './client/bound.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { GeminiStreamEncoder } from './client/encode-stream.ts';
import { type ParsedRequest, parseRequest } from './client/parse.ts';
import { checkPolicy } from './client/policy.ts';
import type { GeminiPolicy } from './client/policy-result.ts';
import { requestTexts } from './client/texts.ts';
import { requestedHostedTools } from './client/tool-policy.ts';
import { encodeStreamError } from './errors.ts';
import {
  adjustmentWarnings,
  editRequest,
  findRefusedContents,
  passthroughWarnings,
  type RefusedContents,
} from './passthrough/edit-request.ts';
import { responseTransformer } from './passthrough/edit-response.ts';
import { GeminiStreamTransformer } from './passthrough/edit-stream.ts';
import { ArrayFrame, type ChunkFrame, EVENT_FRAME } from './shared/chunk-frame.ts';
import { type DeclaredWebTools, NO_WEB_TOOLS } from './shared/grounding.ts';

/** Bytes of each piece of the prompt that distinguish conversations. */
const PROMPT_PIECE_BYTES = 4_096;

/** Parses a request: strict JSON without duplicate keys, with the types of all known fields checked. */
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
  readonly hostedTools: RequestedHostedTools | undefined;
  /** Google's clients accept only events of one `data:` line. */
  readonly keepAlive = undefined;
  readonly streamContentType: string;
  readonly #parsed: ParsedRequest;
  #refused: RefusedContents | undefined;
  /** Of the last stream: an error must continue its array. */
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
    this.hostedTools = requestedHostedTools(parsed, (allowed) => checkPolicy(parsed, allowed));
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
    const { hostedUses } = dispatch;
    const policy = hostedUses === undefined ? this.policy : checkPolicy(this.#parsed, hostedUses);
    return editRequest(this.#parsed, policy, this.#refusedContents(), dispatch);
  }

  get passthroughWarnings(): readonly Diagnostic[] {
    return passthroughWarnings(this.#parsed, this.#refusedContents());
  }

  adjustmentWarnings(dispatch: Dispatch): readonly Diagnostic[] {
    return adjustmentWarnings(this.#parsed, dispatch);
  }

  responseTransformer(context: ResponseContext): ResponseTransformer {
    return responseTransformer(context, this.#declaredWebTools());
  }

  streamTransformer(context: ResponseContext): StreamTransformer {
    return new GeminiStreamTransformer(context, this.#beginFrame(), this.#declaredWebTools());
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

  #declaredWebTools(): DeclaredWebTools {
    const limits = this.hostedTools?.limits;
    return limits === undefined ? NO_WEB_TOOLS : { search: limits.has('search'), fetch: limits.has('fetch') };
  }

  /** Found once, since the edits and the warnings need it. */
  #refusedContents(): RefusedContents {
    this.#refused ??= findRefusedContents(this.#parsed);
    return this.#refused;
  }

  #beginFrame(): ChunkFrame {
    this.#frame = this.#parsed.path.stream === 'json-array' ? new ArrayFrame() : EVENT_FRAME;
    return this.#frame;
  }
}

const LIMITS = { maxDepth: MAX_REQUEST_DEPTH, maxValues: MAX_REQUEST_VALUES, uniqueKeys: true, within: [] };
const COMPLETE_REQUEST = ['generateContentRequest', 'generate_content_request'];

/** `countTokens`, whose body is a request's contents or a complete request. */
export const clientCount: ClientCount = {
  *parseRequest(body, path) {
    const scanned = scanObject(body, LIMITS);
    yield;
    if (!scanned.ok) return { ok: false, error: { path: scanned.error.path, message: scanned.error.message } };
    const { object } = scanned;
    const [first, second] = COMPLETE_REQUEST.flatMap((key) => memberOf(object, key) ?? []);
    if (first === undefined || first.kind === 'null') return yield* parseClientRequest(body, path);
    const other = second ?? memberOf(object, 'contents');
    if (other !== undefined) {
      return { ok: false, error: diagnostic(other.key, `not allowed together with ${first.key}; send only one`) };
    }
    const inner = body.subarray(first.valueStart, first.valueEnd);
    const result = yield* parseClientRequest(inner, { ...path, stream: 'none' });
    return result.ok ? result : { ok: false, error: within(first.key, result.error) };
  },
  encodeResponse: (tokens) => JSON.stringify({ totalTokens: tokens }),
};

function within(key: string, error: { readonly path: string; readonly message: string }) {
  if (error.path === '') return { path: key, message: `${key}: ${error.message}` };
  const path = `${key}.${error.path}`;
  return { path, message: error.message.replace(error.path, () => path) };
}
