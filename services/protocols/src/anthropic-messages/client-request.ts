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
import type { Stages } from '../lists/stages.ts';
import type { ModelFacts, RequestBound } from '../request/bound.ts';
import type { Diagnostic } from '../request/diagnostics.ts';
import { encodeSseEvent } from '../sse/event.ts';
import { boundRequest } from './client/bound.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { MessagesStreamEncoder } from './client/encode-stream.ts';
import { type ParsedRequest, parseCountRequest, parseRequest } from './client/parse.ts';
import { checkPolicy } from './client/policy.ts';
import type { MessagesPolicy } from './client/policy-result.ts';
import { requestTexts } from './client/texts.ts';
import { requestedHostedTools } from './client/tool-policy.ts';
import { encodeStreamError } from './errors.ts';
import { adjustmentWarnings, editRequest } from './passthrough/edit-request.ts';
import { responseTransformer } from './passthrough/edit-response.ts';
import { MessagesStreamTransformer } from './passthrough/edit-stream.ts';
import {
  dropForeignSignatures,
  type ForeignSignatures,
  unsignForeignThoughts,
} from './passthrough/foreign-signatures.ts';

const PING = encodeSseEvent('{"type":"ping"}', 'ping');

/** Parses a request: strict JSON without duplicate keys, with the types of all known fields checked. */
export function* parseClientRequest(body: Buffer): Stages<ClientRequestResult> {
  const result = yield* parseRequest(body);
  return result.ok ? { ok: true, request: new MessagesClientRequest(result.parsed) } : result;
}

/** A well-formed messages request. */
export class MessagesClientRequest implements ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  readonly policy: MessagesPolicy;
  readonly hostedTools: RequestedHostedTools | undefined;
  readonly keepAlive = PING;
  readonly streamContentType = 'text/event-stream; charset=utf-8';
  readonly #parsed: ParsedRequest;
  readonly #foreign = new Map<boolean, ForeignSignatures>();

  constructor(parsed: ParsedRequest) {
    const { request } = parsed;
    this.#parsed = parsed;
    this.model = request.model;
    this.isStream = request.stream ?? false;
    this.outputLimit = { tokens: request.max_tokens ?? undefined, field: 'max_tokens' };
    this.policy = checkPolicy(parsed);
    this.hostedTools = requestedHostedTools(parsed, (allowed) => checkPolicy(parsed, allowed));
  }

  bound(facts: ModelFacts): RequestBound {
    return boundRequest(this.#parsed, facts);
  }

  get prompt(): Buffer {
    const { object } = this.#parsed;
    const messages = memberOf(object, 'messages');
    return object.bytes.subarray(messages?.valueStart ?? 0, messages?.valueEnd);
  }

  texts(): string[] {
    return requestTexts(this.#parsed);
  }

  canonical(): Stages<CanonicalResult> {
    return decodeRequest(this.#parsed);
  }

  editRequest(dispatch: Dispatch): Buffer {
    const policy = this.#policyFor(dispatch);
    const edits = [...policy.edits, ...this.#foreignSignatures(dispatch).edits];
    return editRequest(this.#parsed, { ...policy, edits }, dispatch);
  }

  adjustmentWarnings(dispatch: Dispatch): readonly Diagnostic[] {
    const { warnings } = this.#foreignSignatures(dispatch);
    return [...warnings, ...adjustmentWarnings(this.#parsed, this.#policyFor(dispatch), dispatch)];
  }

  responseTransformer(context: ResponseContext): ResponseTransformer {
    return responseTransformer(context);
  }

  streamTransformer(context: ResponseContext): StreamTransformer {
    return new MessagesStreamTransformer(context);
  }

  encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer {
    return encodeResponse(response, final, context);
  }

  streamEncoder(context: ResponseContext): StreamEncoder {
    return new MessagesStreamEncoder(context);
  }

  encodeStreamError(error: ClientError, traceId: string): Buffer {
    return encodeStreamError(error, traceId);
  }

  #policyFor(dispatch: Dispatch): MessagesPolicy {
    const uses = usesAt(dispatch);
    return uses === undefined ? this.policy : checkPolicy(this.#parsed, uses);
  }

  #foreignSignatures({ parameters }: Dispatch): ForeignSignatures {
    const isSigned = parameters?.unsignedThinking !== true;
    const known = this.#foreign.get(isSigned);
    if (known !== undefined) return known;
    const found = isSigned ? dropForeignSignatures(this.#parsed) : unsignForeignThoughts(this.#parsed);
    this.#foreign.set(isSigned, found);
    return found;
  }
}

/** `/messages/count_tokens`, whose body is a request without an output limit. */
export const clientCount: ClientCount = {
  *parseRequest(body) {
    const result = yield* parseCountRequest(body);
    return result.ok ? { ok: true, request: new MessagesClientRequest(result.parsed) } : result;
  },
  encodeResponse: (tokens) => JSON.stringify({ input_tokens: tokens }),
};
