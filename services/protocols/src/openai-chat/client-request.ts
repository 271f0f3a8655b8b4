import type { CanonicalResponse } from '../canonical/response.ts';
import type { KeptStops } from '../canonical/stop-words.ts';
import type { ClientError } from '../interface/errors.ts';
import type { RequestedHostedTools } from '../interface/hosted-tools.ts';
import type {
  CanonicalResult,
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
import type { Stages } from '../lists/stages.ts';
import type { ModelFacts, RequestBound } from '../request/bound.ts';
import type { Diagnostic } from '../request/diagnostics.ts';
import { encodeSseComment } from '../sse/event.ts';
import { boundRequest } from './client/bound.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { ChatStreamEncoder } from './client/encode-stream.ts';
import { type ParsedRequest, parseRequest } from './client/parse.ts';
import { checkPolicy } from './client/policy.ts';
import type { ChatPolicy } from './client/policy-result.ts';
import { requestTexts } from './client/texts.ts';
import { requestedWebSearch } from './client/web-search.ts';
import { encodeStreamError } from './errors.ts';
import { adjustmentWarnings, editRequest, keptStops, rejection } from './passthrough/edit-request.ts';
import { responseTransformer } from './passthrough/edit-response.ts';
import { ChatStreamTransformer } from './passthrough/edit-stream.ts';

const KEEP_ALIVE = encodeSseComment('keep-alive');

/** Parses a request: strict JSON without duplicate keys, with the types of all known fields checked. */
export function* parseClientRequest(body: Buffer): Stages<ClientRequestResult> {
  const result = yield* parseRequest(body);
  return result.ok ? { ok: true, request: new ChatClientRequest(result.parsed) } : result;
}

/** A well-formed chat completions request. */
export class ChatClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly policy: ChatPolicy;
  readonly hostedTools: RequestedHostedTools | undefined;
  readonly keepAlive = KEEP_ALIVE;
  readonly streamContentType = 'text/event-stream; charset=utf-8';
  readonly #parsed: ParsedRequest;

  constructor(parsed: ParsedRequest) {
    this.#parsed = parsed;
    this.model = parsed.model;
    this.isStream = parsed.isStream;
    this.outputLimit = { tokens: parsed.outputLimit, field: limitField(parsed) };
    this.policy = checkPolicy(parsed);
    this.hostedTools = requestedWebSearch(parsed, (allowed) => checkPolicy(parsed, allowed));
  }

  get prompt(): Buffer {
    const { object } = this.#parsed;
    const messages = memberOf(object, 'messages');
    return object.bytes.subarray(messages?.valueStart, messages?.valueEnd);
  }

  /** A client that declares the older `functions` expects calls as `function_call`. */
  get #takesOneCall(): boolean {
    const { tools, functions } = this.#parsed.request;
    return (functions?.length ?? 0) > 0 && (tools?.length ?? 0) === 0;
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
    return editRequest(this.#parsed, policy, dispatch);
  }

  adjustmentWarnings(dispatch: Dispatch): readonly Diagnostic[] {
    return adjustmentWarnings(this.#parsed, dispatch);
  }

  rejection(dispatch: Dispatch): Diagnostic | undefined {
    return this.policy.mixedLifetimes ?? rejection(this.#parsed, dispatch);
  }

  keptStops(dispatch: Dispatch): KeptStops | undefined {
    return keptStops(this.#parsed, dispatch);
  }

  responseTransformer(context: ResponseContext): ResponseTransformer {
    return responseTransformer(context);
  }

  streamTransformer(context: ResponseContext): StreamTransformer {
    return new ChatStreamTransformer(context, this.#parsed.includeUsage);
  }

  encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer {
    return encodeResponse(response, final, context, { single: this.#takesOneCall });
  }

  streamEncoder(context: ResponseContext): StreamEncoder {
    return new ChatStreamEncoder(context, {
      single: this.#takesOneCall,
      includeUsage: this.#parsed.includeUsage,
    });
  }

  encodeStreamError(error: ClientError, traceId: string): Buffer {
    return encodeStreamError(error, traceId);
  }
}

/** The limit's name as the client gave it; the newer one where it gave none. */
function limitField({ request }: ParsedRequest): string {
  const isOldName = typeof request.max_tokens === 'number' && typeof request.max_completion_tokens !== 'number';
  return isOldName ? 'max_tokens' : 'max_completion_tokens';
}
