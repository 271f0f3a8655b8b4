import type { ProtocolName } from '../canonical/protocol-name.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import type { ReportedFigures, Usage } from '../canonical/usage.ts';
import type { JsonRecord } from '../json/record.ts';
import type { Stages } from '../lists/stages.ts';
import type { ModelFacts, RequestBound } from '../request/bound.ts';
import type { Diagnostic, Diagnostics } from '../request/diagnostics.ts';
import type { SseEvent } from '../sse/event.ts';
import type { ClientError, UpstreamError } from './errors.ts';

/**
 * One protocol, on both sides. The client side parses requests and encodes responses, the upstream side encodes requests
 * and decodes responses. If both sides have the same protocol, the bytes pass through. Everything is pure: the time, random
 * ids and prices come in with the arguments.
 */
export interface Protocol {
  readonly name: ProtocolName;
  /** Reads a client's request: strict JSON without duplicate keys, and the types of all known fields. */
  parseRequest(body: Buffer, path: PathParameters): Stages<ClientRequestResult>;
  readonly upstream: Upstream;
  /** The client's counting call, where the protocol has one. */
  readonly count: ClientCount | undefined;
  /** The bytes of an error in this protocol's shape, for a response that has not begun. Contract fields first. */
  encodeError(error: ClientError, traceId: string): string;
}

/** The parameters of a call outside of its body. Only some protocols have them. */
export interface PathParameters {
  /** The model of the path, where the protocol names it there. */
  readonly model: string;
  /** Whether the path asks for a stream, and in which form. */
  readonly stream: 'none' | 'sse' | 'json-array';
}

/** A protocol's own call for counting a prompt's tokens. */
export interface ClientCount {
  /** Reads its body, which is a generation request or a part of one. */
  parseRequest(body: Buffer, path: PathParameters): Stages<ClientRequestResult>;
  /** The body of the response. */
  encodeResponse(tokens: number): string;
}

export type ClientRequestResult =
  | { readonly ok: true; readonly request: ClientRequest }
  | { readonly ok: false; readonly error: Diagnostic };

/** A client's request that is well formed. */
export interface ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  /** The client's output limit and what it calls it; the limit is undefined when it set none. */
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  /** The result of the policies, which apply whatever the upstream is. */
  readonly policy: PolicyResult;
  /** Whether later requests may refer to items of the response by id; no when absent. */
  readonly keepsItems?: boolean;
  /** The maximum usage; unknown fields count as text. */
  bound(facts: ModelFacts): RequestBound;
  /** The bytes that all turns of a conversation begin with. */
  readonly prompt: Buffer;
  /** All texts that the provider tokenizes, for counting them. */
  texts(): string[];
  /** The canonical form, without what the policies drop and with warnings for unknown fields. */
  canonical(): Stages<CanonicalResult>;
  /** The request for an upstream of the same protocol: the client's bytes except for the necessary edits. */
  editRequest(dispatch: Dispatch): Buffer;
  /** Warnings for what `editRequest` drops because a provider of the same protocol would reject it, such as foreign reasoning. */
  readonly passthroughWarnings?: readonly Diagnostic[];
  /** For responses of an upstream of the same protocol. */
  responseTransformer(context: ResponseContext): ResponseTransformer;
  streamTransformer(context: ResponseContext): StreamTransformer;
  /** For responses of all other upstreams. */
  encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer;
  streamEncoder(context: ResponseContext): StreamEncoder;
  /** The error event after the stream has begun, with the bytes that close the stream. */
  encodeStreamError(error: ClientError, traceId: string): Buffer;
  /** Sent during long pauses of a stream; undefined if clients of the protocol accept nothing of the kind. */
  readonly keepAlive: Buffer | undefined;
  /** The content type of a streamed response. */
  readonly streamContentType: string;
}

/** What the price list and the shared provider account say about a request. */
export interface PolicyResult {
  /** Fields that the request is refused for; the client gets the first one. */
  readonly errors: readonly Diagnostic[];
  /** What is changed or left out without changing the meaning of the response. */
  readonly warnings: readonly Diagnostic[];
}

export type CanonicalResult =
  | { readonly ok: true; readonly request: CanonicalRequest; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly error: Diagnostic };

/** What changes in a request on its way to a deployment. */
export interface Dispatch {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  /** The output tokens per choice that the balance allows; undefined keeps the request's own limit. */
  readonly outputTokens: number | undefined;
}

/** What the bytes of a response need besides the upstream's. */
export interface ResponseContext {
  /** The model's name here: an alias stays an alias. */
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds at the end of a response, for protocols that report it; `created` when absent. */
  readonly now?: () => number;
  /** 24 random letters and digits at each call, for ids that the protocol demands. */
  readonly newId: () => string;
  /** What the customer pays for a usage, as a JSON number of US dollars. */
  readonly costOf: (usage: Usage) => string;
}

/** The usage that is charged, once it is known. */
export interface FinalUsage {
  readonly usage: Usage;
  /** Counted here, since the upstream reported none, or an implausible one. */
  readonly estimated: boolean;
  /** A JSON number of US dollars. */
  readonly cost: string;
}

/** Passes on a buffered response of an upstream to the client. */
export interface ResponseTransformer {
  transform(body: Buffer): ResponseResult;
}

export type ResponseResult =
  | {
      readonly kind: 'response';
      /** Undefined when the upstream reported none, or an invalid one. */
      readonly usage: Usage | undefined;
      /** Figures of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
      /** The upstream's word for the first choice; empty when it has none. */
      readonly finishReason: string;
      /** All generated text, reasoning and tool inputs included, for counting it. */
      readonly text: string;
      /** The bytes for the client. */
      readonly render: (final: FinalUsage) => Buffer;
    }
  /** An error with a success status. */
  | { readonly kind: 'error'; readonly error: UpstreamError }
  /** Not a response at all. */
  | { readonly kind: 'malformed'; readonly problem: string };

/** Passes on one stream of an upstream to the client, event by event. */
export interface StreamTransformer {
  push(event: SseEvent): StreamStep;
  /** The body ended without an end event: `end` if the response is complete without one, else `malformed`. */
  eof(): StreamStep;
  /**
   * What closes the client's stream: everything that was kept back, the usage where the client wants it, and the
   * protocol's own end. Called once, after an `end`, when the charge is in the journal.
   */
  close(final: FinalUsage): Buffer;
}

export type StreamStep =
  /** No content; the bytes may go to a client whose stream has begun. */
  | { readonly kind: 'silent'; readonly bytes: Buffer | undefined }
  | StreamProgress
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Content of the response; `end`: the last of it, after which the upstream is not read. */
export interface StreamProgress {
  readonly kind: 'content' | 'end';
  /** For the client; undefined when there is nothing to send (yet). */
  readonly bytes: Buffer | undefined;
  /** What was generated, in all choices, for counting it. */
  readonly text: string;
  /** The upstream's word for a choice that has ended; empty otherwise. */
  readonly finishReason: string;
  /**
   * As far as the upstream has reported it, with all text up to here; a later one replaces the earlier. Text that comes
   * after the last of them is in no report.
   */
  readonly usage: Usage | undefined;
  /** Figures of an invalid usage report, see unreadableFigures. */
  readonly unreadable?: ReportedFigures | undefined;
}

/** The upstream's side of a protocol. */
export interface Upstream {
  /** The path of a call under the provider's base URL, such as `/chat/completions`. */
  path(upstreamModel: string, isStream: boolean): string;
  /** Encodes a request. What the protocol cannot express becomes a warning or an error in the diagnostics. */
  encodeRequest(request: CanonicalRequest, target: EncodeTarget, diagnostics: Diagnostics): Stages<JsonRecord>;
  decodeResponse(body: Buffer, context: DecodeContext): DecodeResult;
  streamDecoder(context: DecodeContext): StreamDecoder;
  /** Whether it has tools with plain-text input. For others they are wrapped in functions. */
  readonly hasCustomTools: boolean;
  /** Where the provider counts a prompt's tokens itself. */
  readonly nativeCount: NativeCount | undefined;
  /** Reads the body of an error response; an unknown shape gives empty texts. */
  readError(body: Buffer): UpstreamError;
}

/** The call a request is written for. */
export interface EncodeTarget extends Dispatch {
  readonly isStream: boolean;
  /** The model's maximum, for protocols that require a limit. */
  readonly maxOutputTokens: number;
}

/** What decoding a response needs besides its bytes. */
export interface DecodeContext {
  /** For tool calls that the upstream gave no id. 24 random letters and digits. */
  readonly newId: () => string;
}

export type DecodeResult =
  | {
      readonly kind: 'response';
      readonly response: CanonicalResponse;
      /** Figures of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
    }
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Reads one upstream stream into canonical events. */
export interface StreamDecoder {
  push(event: SseEvent): DecodedEvents;
  /** The body ended: whether the response was complete, with the events that close what is still open. */
  eof(): DecodedEvents;
}

export type DecodedEvents =
  /** `end`: the response is over, and every choice has its finish. An event without content gives no events. */
  | {
      readonly kind: 'events' | 'end';
      readonly events: readonly StreamEvent[];
      /** Figures of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
    }
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Writes one stream for a client. It may keep back what it can only send with the final usage. */
export interface StreamEncoder {
  /** Undefined when there is nothing to send yet. */
  push(events: readonly StreamEvent[]): Buffer | undefined;
  /** After the last event, once the charge is in the journal. */
  close(final: FinalUsage): Buffer;
}

/** Counting the tokens of a prompt at a provider that offers it. */
export interface NativeCount {
  path(upstreamModel: string): string;
  /** The body of a counting call, from the body of the generation call. */
  encodeRequest(request: JsonRecord, upstreamModel: string): JsonRecord;
  /** Tokens of the prompt; undefined when the response does not have them. */
  decode(body: Buffer): number | undefined;
}
