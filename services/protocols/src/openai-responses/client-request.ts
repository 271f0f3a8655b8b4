import type { CanonicalResponse } from '../canonical/response.ts';
import type { ClientError } from '../interface/errors.ts';
import { type RequestedHostedTools, usesAt } from '../interface/hosted-tools.ts';
import type {
  CanonicalResult,
  ClientCount,
  ClientRequest,
  ClientRequestResult,
  Dispatch,
  FinalUsage,
  ResponseContext,
  ResponseTransformer,
  StreamEncoder,
  StreamTransformer,
} from '../interface/protocol.ts';
import { memberOf } from '../json/object.ts';
import { recordOr } from '../json/record.ts';
import type { Stages } from '../lists/stages.ts';
import type { ModelFacts, RequestBound } from '../request/bound.ts';
import type { Diagnostic } from '../request/diagnostics.ts';
import { encodeSseComment } from '../sse/event.ts';
import { boundRequest } from './client/bound.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { ResponsesStreamEncoder } from './client/encode-stream.ts';
import { type ParsedRequest, parseRequest } from './client/parse.ts';
import { checkPolicy } from './client/policy.ts';
import type { ResponsesPolicy } from './client/policy-result.ts';
import { requestTexts } from './client/texts.ts';
import { requestedHostedTools } from './client/tool-policy.ts';
import { encodeStreamError } from './errors.ts';
import { adjustmentWarnings, editRequest, passthroughWarnings, rejection } from './passthrough/edit-request.ts';
import { responseTransformer } from './passthrough/edit-response.ts';
import { ResponsesStreamTransformer } from './passthrough/edit-stream.ts';
import type { StreamPosition } from './shared/event-writer.ts';
import type { ResponsesRequest } from './shared/schema.ts';
import { type DeclaredTools, ToolIndex } from './shared/tool-names.ts';

const KEEP_ALIVE = encodeSseComment('keep-alive');

/** Parses a request: strict JSON without duplicate keys, with the types of all known fields checked. */
export function* parseClientRequest(body: Buffer): Stages<ClientRequestResult> {
  const result = yield* parseRequest(body);
  return result.ok ? { ok: true, request: new ResponsesClientRequest(result.parsed) } : result;
}

/** A well-formed request to create a response. */
export class ResponsesClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly policy: ResponsesPolicy;
  readonly hostedTools: RequestedHostedTools | undefined;
  readonly keepsItems: boolean;
  readonly keepAlive = KEEP_ALIVE;
  readonly streamContentType = 'text/event-stream; charset=utf-8';
  protected readonly parsed: ParsedRequest;
  /** Of the last stream, for an error within it. */
  #position: StreamPosition | undefined;

  constructor(parsed: ParsedRequest) {
    const { request } = parsed;
    this.parsed = parsed;
    this.model = request.model;
    this.isStream = request.stream ?? false;
    this.outputLimit = { tokens: request.max_output_tokens ?? undefined, field: 'max_output_tokens' };
    this.policy = checkPolicy(parsed);
    this.hostedTools = requestedHostedTools(parsed, (allowed) => checkPolicy(parsed, allowed));
    this.keepsItems = request.store ?? true;
  }

  /** Instructions are the same in all turns; if they are short, the input distinguishes conversations. */
  get prompt(): Buffer {
    const { object } = this.parsed;
    const spans = [memberOf(object, 'instructions'), memberOf(object, 'input')];
    const texts = spans.flatMap((span) =>
      span === undefined ? [] : [object.bytes.subarray(span.valueStart, span.valueEnd)],
    );
    return texts.length === 1 ? (texts[0] ?? Buffer.alloc(0)) : Buffer.concat(texts);
  }

  bound(facts: ModelFacts): RequestBound {
    return boundRequest(this.parsed, facts);
  }

  texts(): string[] {
    return requestTexts(this.parsed);
  }

  canonical(): Stages<CanonicalResult> {
    return decodeRequest(this.parsed, this.policy);
  }

  editRequest(dispatch: Dispatch): Buffer {
    return editRequest(this.parsed, this.policyFor(dispatch), dispatch);
  }

  get passthroughWarnings(): readonly Diagnostic[] {
    return passthroughWarnings(this.parsed);
  }

  adjustmentWarnings(dispatch: Dispatch): readonly Diagnostic[] {
    return adjustmentWarnings(this.parsed, this.policyFor(dispatch), dispatch);
  }

  rejection(dispatch: Dispatch): Diagnostic | undefined {
    return rejection(this.parsed, dispatch);
  }

  protected policyFor(dispatch: Dispatch): ResponsesPolicy {
    const uses = usesAt(dispatch);
    return uses === undefined ? this.policy : checkPolicy(this.parsed, uses);
  }

  responseTransformer(context: ResponseContext): ResponseTransformer {
    return responseTransformer(context);
  }

  streamTransformer(context: ResponseContext): StreamTransformer {
    return new ResponsesStreamTransformer(context, this.#begin(context));
  }

  encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer {
    return encodeResponse(response, final, context, this.#effective(), this.#declaredTools());
  }

  streamEncoder(context: ResponseContext): StreamEncoder {
    return new ResponsesStreamEncoder(context, this.#effective(), this.#declaredTools(), this.#begin(context));
  }

  encodeStreamError(error: ClientError, traceId: string): Buffer {
    return encodeStreamError(error, traceId, this.#position);
  }

  /** OpenAI reports a prompt that is too long within the stream, and Codex looks for it only there. */
  failedStream(error: ClientError, traceId: string, context: ResponseContext): Buffer | undefined {
    if (!this.isStream || error.overflow === undefined) return undefined;
    const begun = this.streamEncoder(context).push([{ type: 'start', id: '', created: undefined }]);
    const failed = this.encodeStreamError(error, traceId);
    return begun === undefined ? failed : Buffer.concat([begun, failed]);
  }

  /** The request without dropped tools, for the response to repeat. */
  #effective(): ResponsesRequest {
    const { request } = this.parsed;
    const { droppedTools, droppedFields } = this.policy;
    if (droppedTools.size === 0) return request;
    const tools = (request.tools ?? []).filter((_, index) => !droppedTools.has(index));
    return droppedFields.has('tool_choice') ? { ...request, tools, tool_choice: 'auto' } : { ...request, tools };
  }

  /** The tools of the request and of its items, as calls of them must name them. */
  #declaredTools(): DeclaredTools {
    const index = new ToolIndex();
    for (const tool of this.#effective().tools ?? []) index.add(tool);
    for (const read of this.parsed.items) {
      const declared = read.kind === 'other' ? read.item['tools'] : undefined;
      if (Array.isArray(declared)) for (const tool of declared) index.add(recordOr(tool));
    }
    return index.tools;
  }

  #begin({ model, created, newId }: ResponseContext): StreamPosition {
    const position: StreamPosition = { sequence: 0, response: undefined, model, created, newId };
    this.#position = position;
    return position;
  }
}

/** `/responses/input_tokens`, whose body is a request. */
export const clientCount: ClientCount = {
  parseRequest: parseClientRequest,
  encodeResponse: (tokens) => JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens }),
};
