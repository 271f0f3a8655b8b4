import type { ModelFacts, RequestBound } from './bound.ts';
import type { Diagnostics } from './canonical/diagnostics.ts';
import type { CanonicalRequest } from './canonical/request.ts';
import type { CanonicalResponse } from './canonical/response.ts';
import type { StreamEvent } from './canonical/stream.ts';
import type { ClientError } from './client-error.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { JsonRecord } from './json/record.ts';
import type { ProtocolName } from './protocol-name.ts';
import type { SseEvent } from './sse/event.ts';
import type { Stages } from './stages.ts';
import type { UpstreamError } from './upstream-error.ts';
import type { ReportedFigures, Usage } from './usage.ts';

/**
 * One protocol, on both sides. The client's side reads requests and writes answers, the upstream's side writes requests
 * and reads answers; a passage of the same protocol on both sides keeps the bytes. All of it is pure: the time, random
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

/** What a call says of itself outside its body. Protocols that say all in the body take no notice. */
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
  /** The answer's body. */
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
  /**
   * The fields that would make a call dearer than the price the hold is computed from, or that reach into the provider's
   * account, which all customers share. They are refused, or left out with a warning, whatever the upstream is.
   */
  readonly policy: PolicyResult;
  /** Whether later requests may name items of the answer by their ids alone; no when absent. */
  readonly keepsItems?: boolean;
  /** The most it can use; unknown fields count as text. */
  bound(facts: ModelFacts): RequestBound;
  /** The bytes that all turns of a conversation begin with. */
  readonly prompt: Buffer;
  /** All texts that the provider makes tokens of, for counting them. */
  texts(): string[];
  /** In no vendor's words. What the guard leaves out is left out; unknown fields are warned of. */
  canonical(): Stages<CanonicalResult>;
  /** Towards an upstream of the same protocol: the client's bytes but for what must change. */
  editRequest(dispatch: Dispatch): Buffer;
  /** What `forward` leaves out that only a provider of the same protocol would refuse, such as another one's thoughts. */
  readonly passthroughWarnings?: readonly Diagnostic[];
  /** The way back from an upstream of the same protocol. */
  responseTransformer(context: ResponseContext): ResponseTransformer;
  streamTransformer(context: ResponseContext): StreamTransformer;
  /** The way back from an upstream of any other. */
  encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer;
  streamEncoder(context: ResponseContext): StreamEncoder;
  /** The event that tells of an error after the stream has begun, with whatever must close the stream after it. */
  encodeStreamError(error: ClientError, traceId: string): Buffer;
  /** Sent in long silences of a stream that has begun; undefined where the protocol's clients take nothing of the kind. */
  readonly keepAlive: Buffer | undefined;
  /** Of a streamed answer's head. */
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
  /** Output tokens for each choice, where the balance binds; undefined leaves the request's own limit as it is. */
  readonly outputTokens: number | undefined;
}

/** What an answer's bytes need that is not in the upstream's. */
export interface ResponseContext {
  /** The model's name here: an alias stays an alias. */
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds at the end of an answer, for protocols that tell it; `created` stands for it when absent. */
  readonly now?: () => number;
  /** 24 random letters and digits at each call, for ids that the protocol demands. */
  readonly newId: () => string;
  /** What the customer pays for a usage, as a JSON number of US dollars. */
  readonly costOf: (usage: Usage) => string;
}

/** The usage that is charged, once it is known. */
export interface FinalUsage {
  readonly usage: Usage;
  /** Counted here, since the upstream gave none or one that cannot be. */
  readonly estimated: boolean;
  /** A JSON number of US dollars. */
  readonly cost: string;
}

/** Takes a whole answer from an upstream to the client. */
export interface ResponseTransformer {
  transform(body: Buffer): ResponseResult;
}

export type ResponseResult =
  | {
      readonly kind: 'response';
      /** Undefined when the upstream reported none that can be read. */
      readonly usage: Usage | undefined;
      /** Figures of a report that is no usage, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
      /** Of the first choice, in the upstream's word; empty when it has none. */
      readonly finishReason: string;
      /** All text that was generated, thoughts and tool inputs included, for counting it. */
      readonly text: string;
      /** The bytes for the client. */
      readonly render: (final: FinalUsage) => Buffer;
    }
  /** An error under a status that says success. */
  | { readonly kind: 'error'; readonly error: UpstreamError }
  /** Not an answer at all. */
  | { readonly kind: 'malformed'; readonly problem: string };

/** Takes one stream from an upstream to the client, event by event. */
export interface StreamTransformer {
  push(event: SseEvent): StreamStep;
  /** The body is over without an event that ended the answer: `end` where the answer is whole without one, else `malformed`. */
  eof(): StreamStep;
  /**
   * What closes the client's stream: everything that was kept back, the usage where the client wants it, and the
   * protocol's own last words. Called once, after an `end`, when the charge is in the journal.
   */
  close(final: FinalUsage): Buffer;
}

export type StreamStep =
  /** Nothing of the answer; the bytes may go to a client whose stream has begun. */
  | { readonly kind: 'silent'; readonly bytes: Buffer | undefined }
  | StreamProgress
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Part of the answer; `end`: the last of it, after which nothing is taken from the upstream. */
export interface StreamProgress {
  readonly kind: 'content' | 'end';
  /** For the client; undefined when it is told nothing (yet). */
  readonly bytes: Buffer | undefined;
  /** What was generated, in all choices, for counting it. */
  readonly text: string;
  /** Of a choice that has ended, in the upstream's word; empty otherwise. */
  readonly finishReason: string;
  /**
   * As far as the upstream has reported it, with all text up to here; a later one replaces the earlier. Text that comes
   * after the last of them is in no report.
   */
  readonly usage: Usage | undefined;
  /** Figures of a report that is no usage, see unreadableFigures. */
  readonly unreadable?: ReportedFigures | undefined;
}

/** The upstream's side of a protocol. */
export interface Upstream {
  /** The path of a call under the provider's base URL, such as `/chat/completions`. */
  path(upstreamModel: string, isStream: boolean): string;
  /** Writes a request. What the protocol cannot say goes into the diagnostics as a warning or a refusal. */
  encodeRequest(request: CanonicalRequest, target: EncodeTarget, diagnostics: Diagnostics): Stages<JsonRecord>;
  decodeResponse(body: Buffer, context: DecodeContext): DecodeResult;
  streamDecoder(context: DecodeContext): StreamDecoder;
  /** Whether it has tools whose input is plain text. Towards one that has not, they come wrapped in functions. */
  readonly hasCustomTools: boolean;
  /** Where the provider counts a prompt's tokens itself. */
  readonly nativeCount: NativeCount | undefined;
  /** Reads the body of an answer with an error status; a body that says nothing gives empty texts. */
  readError(body: Buffer): UpstreamError;
}

/** The call a request is written for. */
export interface EncodeTarget extends Dispatch {
  readonly isStream: boolean;
  /** The most the model can generate, for protocols that demand a limit. */
  readonly maxOutputTokens: number;
}

/** What reading an answer needs beside its bytes. */
export interface DecodeContext {
  /** For tool calls that the upstream gave no id. 24 random letters and digits. */
  readonly newId: () => string;
}

export type DecodeResult =
  | {
      readonly kind: 'response';
      readonly response: CanonicalResponse;
      /** Figures of a report that is no usage, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
    }
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Reads one upstream stream into canonical events. */
export interface StreamDecoder {
  push(event: SseEvent): DecodedEvents;
  /** The body is over: whether the answer was whole, with the events that close what is still open. */
  eof(): DecodedEvents;
}

export type DecodedEvents =
  /** `end`: the answer is over; every choice has its finish. An event that says nothing gives no events. */
  | {
      readonly kind: 'events' | 'end';
      readonly events: readonly StreamEvent[];
      /** Figures of a report that is no usage, see unreadableFigures. */
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
  /** Tokens of the prompt; undefined when the answer does not say. */
  decode(body: Buffer): number | undefined;
}
