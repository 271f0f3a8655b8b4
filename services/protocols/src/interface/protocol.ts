import type { OptionName, RequestedCacheWrite, RequestedOption } from '../canonical/price-options.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import type { KeptStops } from '../canonical/stop-words.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import type { ToolNameRule } from '../canonical/tool-rename.ts';
import type { CacheWriteBucket, ReportedFigures, Usage } from '../canonical/usage.ts';
import type { UsageDetails } from '../canonical/usage-report.ts';
import type { JsonRecord } from '../json/record.ts';
import type { Stages } from '../lists/stages.ts';
import type { ModelFacts, RequestBound } from '../request/bound.ts';
import type { Diagnostic, Diagnostics } from '../request/diagnostics.ts';
import type { SseEvent } from '../sse/event.ts';
import type { ClientError, UpstreamError } from './errors.ts';
import type { HostedUses, RequestedHostedTools } from './hosted-tools.ts';
import type { ModelParameters } from './parameters.ts';

/**
 * One protocol, on both sides. The client side parses requests and encodes responses, the upstream side encodes requests
 * and decodes responses. If both sides have the same protocol, the bytes pass through. Everything is pure: time, random
 * ids and prices are arguments.
 */
export interface Protocol {
  readonly name: ProtocolName;
  /** Parses a client's request: strict JSON without duplicate keys, with the types of all known fields checked. */
  parseRequest(body: Buffer, path: PathParameters): Stages<ClientRequestResult>;
  readonly upstream: Upstream;
  /** The client's counting call, where the protocol has one. */
  readonly count: ClientCount | undefined;
  /** The body of an error response in this protocol's shape, with the fields of the gateway's error contract first. */
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
  /** Parses its body, which is a generation request or a part of one. */
  parseRequest(body: Buffer, path: PathParameters): Stages<ClientRequestResult>;
  /** The body of the response. */
  encodeResponse(tokens: number): string;
}

export type ClientRequestResult =
  | { readonly ok: true; readonly request: ClientRequest }
  | { readonly ok: false; readonly error: Diagnostic };

/** A client's valid request. */
export interface ClientRequest {
  readonly model: string;
  readonly isStream: boolean;
  /** The client's output limit and its name for it; the limit is undefined if it set none. */
  readonly outputLimit: { readonly tokens: number | undefined; readonly field: string };
  /** The result of the policies, which apply whatever the upstream is. */
  readonly policy: PolicyResult;
  /** Searches and fetches that its provider would run. `policy` is the result without them; absent if it has none. */
  readonly hostedTools?: RequestedHostedTools | undefined;
  /** Whether later requests may refer to items of the response by id; false if absent. */
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
  /** Warnings for what `editRequest` changes because the deployment's model would reject it. */
  adjustmentWarnings(dispatch: Dispatch): readonly Diagnostic[];
  /** Why the deployment cannot take a request of its protocol, where a field cannot be left out; undefined if it can. */
  rejection?(dispatch: Dispatch): Diagnostic | undefined;
  /** Stop words that `editRequest` leaves out, because the deployment's model takes none; the gateway keeps to them. */
  keptStops?(dispatch: Dispatch): KeptStops | undefined;
  /** For responses of an upstream of the same protocol. */
  responseTransformer(context: ResponseContext): ResponseTransformer;
  streamTransformer(context: ResponseContext): StreamTransformer;
  /** For responses of all other upstreams. */
  encodeResponse(response: CanonicalResponse, final: FinalUsage, context: ResponseContext): Buffer;
  streamEncoder(context: ResponseContext): StreamEncoder;
  /** The error event after the stream has begun, with the bytes that close the stream. */
  encodeStreamError(error: ClientError, traceId: string): Buffer;
  /**
   * A complete stream in place of an error response, for an error that the protocol's clients recognize only in a stream;
   * undefined for all others.
   */
  failedStream?(error: ClientError, traceId: string, context: ResponseContext): Buffer | undefined;
  /** Sent during long pauses of a stream; undefined if clients of the protocol accept nothing of the kind. */
  readonly keepAlive: Buffer | undefined;
  /** The path of the call at a provider of the same protocol, if it is not the protocol's usual one. */
  readonly passthroughPath?: string;
  /** Whether providers accept no output limit with this call, so that only the maximum cost can be held. */
  readonly isUnlimited?: boolean;
  /** The content type of a streamed response. */
  readonly streamContentType: string;
}

/** The result of the policies that follow from the price list and the shared provider account. */
export interface PolicyResult {
  /** Fields that the request is rejected for; the client gets the first one. */
  readonly errors: readonly Diagnostic[];
  /** Fields that are changed or dropped without changing the meaning of the response. */
  readonly warnings: readonly Diagnostic[];
  /** What the request chooses at another price than the list price, in place of a refusal if the model has that price. */
  readonly options: readonly RequestedOption[];
  /** Likewise, for how long it has its prompt cached. Absent: as long as every model has a price for. */
  readonly cacheWrites?: readonly RequestedCacheWrite[];
  /** The lifetime of all that it has cached, for usage that does not tell; absent: unknown, or not only one. */
  readonly cacheLifetime?: CacheWriteBucket;
}

export type CanonicalResult =
  | { readonly ok: true; readonly request: CanonicalRequest; readonly warnings: readonly Diagnostic[] }
  | { readonly ok: false; readonly error: Diagnostic };

/**
 * Where a request names its model: as the protocol has it, or Vertex AI's form of the messages protocol, with the model in
 * the path and the protocol's version in the body.
 */
export type RequestForm = 'standard' | 'raw-predict';

/** The changes to a request for a deployment. */
export interface Dispatch {
  /** The model's name at the provider. */
  readonly upstreamModel: string;
  /** The output tokens per choice that the balance allows; undefined keeps the request's limit. */
  readonly outputTokens: number | undefined;
  /** What the deployment's model accepts; nothing is known if absent. */
  readonly parameters?: ModelParameters;
  /** Standard if absent. */
  readonly form?: RequestForm;
  /** Fields to leave out with the betas that enable them, such as `tools[].input_examples`. */
  readonly leftOut?: readonly string[];
  /** The uses of hosted tools that the hold pays for, for upstreams of the client's protocol. Absent: none. */
  readonly hostedUses?: HostedUses;
}

/** Inputs to a response besides the upstream's bytes. */
export interface ResponseContext {
  /** The model's name in the client's request: an alias stays an alias. */
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds at the end of a response, for protocols that report it; `created` if absent. */
  readonly now?: () => number;
  /** 24 random letters and digits at each call, for ids that the protocol requires. */
  readonly newId: () => string;
  /** What the customer pays for a usage, as a JSON number of US dollars; with what was reported of the call by then. */
  readonly costOf: (usage: Usage, details?: UsageDetails) => string;
}

/** The usage that is charged, once it is known. */
export interface FinalUsage {
  readonly usage: Usage;
  /** Counted by the gateway, since the upstream reported none or an implausible one. */
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
      /** Undefined if the upstream reported none or an invalid one. */
      readonly usage: Usage | undefined;
      /** The values of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
      /** What else the upstream reported of the call. */
      readonly details?: UsageDetails | undefined;
      /** The upstream's finish reason of the first choice; empty if it has none. */
      readonly finishReason: string;
      /** All generated text, reasoning and tool inputs included, for counting it. */
      readonly text: string;
      /** Searches that the response contains, for an upstream that reports no usage; 0 if absent. */
      readonly searches?: number;
      /** Likewise, how often the model read the conversation again; 0 if absent. */
      readonly repeatedPrompts?: number;
      /** The bytes for the client. */
      readonly render: (final: FinalUsage) => Buffer;
    }
  /** An error with a success status. */
  | { readonly kind: 'error'; readonly error: UpstreamError }
  /** Not a response. */
  | { readonly kind: 'malformed'; readonly problem: string };

/** Passes on one upstream stream to the client, event by event. */
export interface StreamTransformer {
  push(event: SseEvent): StreamStep;
  /** The body ended without an end event: `end` if the response is complete without one, else `malformed`. */
  eof(): StreamStep;
  /**
   * The bytes that close the client's stream: everything that was kept back, the usage if the client requested it, and the
   * protocol's end. Called once, after an `end`, when the charge is in the journal.
   */
  close(final: FinalUsage): Buffer;
}

export type StreamStep =
  /** No content; the bytes may go to a client whose stream has begun. */
  | { readonly kind: 'silent'; readonly bytes: Buffer | undefined }
  /** The response has begun, but has no content: an error may still take its place, as OpenAI's for a long prompt does. */
  | { readonly kind: 'opening'; readonly bytes: Buffer | undefined; readonly details?: UsageDetails | undefined }
  | StreamProgress
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Content of the response; `end`: the last of it, after which the upstream is not read. */
export interface StreamProgress {
  readonly kind: 'content' | 'end';
  /** For the client; undefined if there is nothing to send yet. */
  readonly bytes: Buffer | undefined;
  /** The generated text of all choices, for counting it. */
  readonly text: string;
  /** The upstream's finish reason of a choice that has ended; otherwise empty. */
  readonly finishReason: string;
  /**
   * The upstream's report, which covers all text up to here and replaces earlier ones. Text after the last report is not
   * covered.
   */
  readonly usage: Usage | undefined;
  /** The values of an invalid usage report, see unreadableFigures. */
  readonly unreadable?: ReportedFigures | undefined;
  /** What else the upstream has reported of the call; later details replace earlier ones of the same name. */
  readonly details?: UsageDetails | undefined;
  /** All searches so far, for a stream that breaks before it reports them; absent if the event has none. */
  readonly searches?: number | undefined;
  /**
   * Likewise, how often the provider has given the model the conversation again, after uses of its own tools, and bills that;
   * absent if the event has none.
   */
  readonly repeatedPrompts?: number | undefined;
  /** Whether the client's response has ended at a stop word: what the upstream still sends matters for usage only. */
  readonly isStopped?: boolean;
}

/** The upstream's side of a protocol. */
export interface Upstream {
  /** The path of a call under the provider's base URL, such as `/chat/completions`. */
  path(upstreamModel: string, isStream: boolean, form?: RequestForm): string;
  /** Encodes a request. What the protocol cannot express becomes a warning or an error in the diagnostics. */
  encodeRequest(request: CanonicalRequest, target: EncodeTarget, diagnostics: Diagnostics): Stages<JsonRecord>;
  decodeResponse(body: Buffer, context: DecodeContext): DecodeResult;
  streamDecoder(context: DecodeContext): StreamDecoder;
  /** What a translated request is adjusted to where the catalogue does not say what a model accepts. */
  readonly defaultParameters: ModelParameters;
  /** Whether it has tools with plain-text input. For others they are wrapped in functions. */
  readonly hasCustomTools: boolean;
  /** The most stop words that a request can have. */
  readonly maxStops: number;
  /** The field of translated requests for an option of this value; undefined if the protocol has none. */
  optionField(name: OptionName, value: string): string | undefined;
  /** The names of tools that its providers accept. Others are sent in an accepted form. */
  readonly toolNames: ToolNameRule;
  /** Where the provider counts a prompt's tokens itself. */
  readonly nativeCount: NativeCount | undefined;
  /** Decodes the body of an error response; for an unknown shape all fields are empty. */
  readError(body: Buffer): UpstreamError;
}

/** The call that a request is encoded for. */
export interface EncodeTarget extends Dispatch {
  readonly isStream: boolean;
  /** The model's maximum, for protocols that require a limit. */
  readonly maxOutputTokens: number;
}

/** Inputs to decoding besides the bytes of the response. */
export interface DecodeContext {
  /** 24 random letters and digits, for tool calls without an id. */
  readonly newId: () => string;
}

export type DecodeResult =
  | {
      readonly kind: 'response';
      readonly response: CanonicalResponse;
      /** The values of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
    }
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Decodes one upstream stream into canonical events. */
export interface StreamDecoder {
  push(event: SseEvent): DecodedEvents;
  /** The body has ended: returns whether the response was complete, with the events that close open parts. */
  eof(): DecodedEvents;
}

export type DecodedEvents =
  /** `end`: the response is over, and every choice has its finish. An upstream event without content has none. */
  | {
      readonly kind: 'events' | 'end';
      readonly events: readonly StreamEvent[];
      /** The values of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
    }
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Encodes one stream for a client. It may keep back what it can only send with the final usage. */
export interface StreamEncoder {
  /** Undefined if there is nothing to send yet. */
  push(events: readonly StreamEvent[]): Buffer | undefined;
  /** After the last event, once the charge is in the journal. */
  close(final: FinalUsage): Buffer;
}

/** A provider's own call for counting the tokens of a prompt. */
export interface NativeCount {
  path(upstreamModel: string, form?: RequestForm): string;
  /** The body of a counting call, from the body of the generation call. */
  encodeRequest(request: JsonRecord, upstreamModel: string, form?: RequestForm): JsonRecord;
  /** Tokens of the prompt; undefined if the response has none. */
  decode(body: Buffer): number | undefined;
}
