/** The protocols of clients and providers. */
export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

export const LANGUAGES = ['JavaScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Base URL and key of a call. */
export interface Target {
  baseUrl: string;
  key: string;
  /** Of Google's SDK: the version in the path; its own default when absent. */
  apiVersion?: string;
  /** Of Anthropic's SDK: the key goes as a bearer token. */
  asBearer?: true;
}

/** A request in neutral terms, which each driver translates for its SDK. */
export interface Ask {
  model: string;
  stream: boolean;
  system?: string;
  turns: Turn[];
  maxTokens?: number;
  temperature?: number;
  topK?: number;
  seed?: number;
  presencePenalty?: number;
  choices?: number;
  stop?: string[];
  /** Alternatives returned for each token. */
  logprobs?: number;
  tools?: ToolSpec[];
  toolChoice?: 'required' | 'none' | { tool: string } | { allowed: string[] };
  /** At most one call in a response. */
  singleCall?: true;
  /** The response's JSON schema; `any`: any JSON object. */
  schema?: JsonObject | 'any';
  reasoning?: { effort: 'low' | 'medium' | 'high' } | { budget: number } | 'off';
  /** Sets a cache breakpoint at the first user turn, or a cache key, depending on the protocol. */
  cacheHint?: true;
  /** Names the end user. */
  userId?: string;
  /** Closes the stream after this many pieces of text. */
  disconnectAfter?: number;
}

export type JsonObject = { [key: string]: unknown };

export interface ToolSpec {
  name: string;
  description: string;
  parameters: JsonObject;
  strict?: true;
}

export type Turn =
  | { role: 'user'; parts: UserPart[] }
  | { role: 'assistant'; text: string }
  /** Instructions in the middle of a conversation, for protocols that have them there. */
  | { role: 'instructions'; text: string }
  /** An earlier response, as the SDK returned it; `ref` is that of the SdkResponse. */
  | { role: 'carried'; ref: string }
  | { role: 'tool'; results: ToolResult[] };

export type UserPart =
  | { text: string }
  | { image: { url: string; mediaType: string } | { data: string; mediaType: string } }
  | { file: { url: string; mediaType: string } | { data: string; mediaType: string; filename: string } }
  | { audio: { data: string; format: 'wav' } };

export interface ToolResult {
  callId: string;
  name: string;
  output: string;
  isError?: true;
  /** Goes with the output. */
  image?: { data: string; mediaType: string };
}

/** A response in neutral terms; only the finish reason is the SDK's. */
export interface SdkResponse {
  /** Identifies the response, to send it back in a later turn. */
  ref: string;
  error: SdkError | null;
  id: string;
  model: string;
  text: string;
  refusal: string;
  thoughts: string;
  /** Signatures and encrypted reasoning of the response, in order. */
  signatures: string[];
  calls: { id: string; name: string; input: unknown }[];
  finish: string;
  stopSequence: string;
  usage: SdkUsage | null;
  /** Cost in the response, in dollars. */
  cost: number | null;
  choices: number;
  /** Tokens with log probabilities. */
  logprobs: number;
  /** Pages that the response cites. */
  cited: string[];
  /** Number of pieces of text. */
  pieces: number;
  /** Number of pieces of call inputs. */
  inputPieces: number;
  headers: Record<string, string>;
  /** How a stream breaks its protocol, although the SDK accepts it. */
  violation: string;
}

/** Disjoint buckets, following the SDK's documentation. */
export interface SdkUsage {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
}

export interface SdkError {
  /** The SDK's class. */
  kind: string;
  /** Undefined where the SDK knows none, as in the middle of a stream. */
  status: number | null;
  /** All that the SDK reports of the error, its body included, as one text. */
  reported: string;
}

/** A conversation that the SDK leads by itself: it calls the tool and sends its results until the model calls no more. */
export interface ToolRun {
  model: string;
  stream: boolean;
  prompt: string;
  tool: ToolSpec;
  /** What the tool returns. */
  output: string;
}

export interface ToolRunResult {
  error: SdkError | null;
  /** The text of the last response. */
  text: string;
  /** What the tool was called with. */
  inputs: unknown[];
}

/** Calls next to generation. */
export type Other =
  | { call: 'models' }
  | { call: 'model'; model: string }
  | { call: 'count'; ask: Ask }
  | { call: 'embed'; model: string; texts: string[]; dimensions?: number };

export interface OtherResponse {
  error: SdkError | null;
  models: string[];
  tokens: number | null;
  embeddings: number[][];
  headers: Record<string, string>;
}

/** One official SDK speaking one protocol. */
export interface Driver {
  readonly language: Language;
  readonly protocol: ProtocolName;
  ask(target: Target, ask: Ask): Promise<SdkResponse>;
  other(target: Target, other: Other): Promise<OtherResponse>;
  /** @throws Unsupported if the SDK has no tool runner */
  run(target: Target, run: ToolRun): Promise<ToolRunResult>;
}

/** Thrown by a driver if its SDK cannot express a request. */
export class Unsupported extends Error {}

/** Thrown by a driver where what the SDK gave contradicts its own documentation, though the SDK did not complain. */
export class Contradiction extends Error {}
