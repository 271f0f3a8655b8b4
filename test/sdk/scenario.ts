/** The protocols, spoken by clients and by providers. */
export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

export type Language = 'JavaScript' | 'Python';

/** Where a call goes, and as whom. */
export interface Target {
  baseUrl: string;
  key: string;
  /** Of Google's SDK: the version in the path; its own default when absent. */
  apiVersion?: string;
  /** Of Anthropic's SDK: the key goes as a bearer token. */
  asBearer?: true;
}

/** What a program asks a model, in words that every SDK's driver turns into its own. */
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
  oneCallAtMost?: true;
  /** The response's JSON schema; `any`: any JSON object. */
  schema?: JsonObject | 'any';
  reasoning?: { effort: 'low' | 'medium' | 'high' } | { budget: number } | 'off';
  /** Marks the first user turn for the provider's cache, or names a cache key, whichever the protocol has. */
  cacheHint?: true;
  /** Names the end user. */
  userId?: string;
  /** Leaves the stream after that many pieces of text. */
  leaveAfter?: number;
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
  /** A response of this driver, as the SDK gave it; `ref` is that of the SdkResponse. */
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

/** What came back, in no vendor's words but the finish reason, which is the SDK's. */
export interface SdkResponse {
  /** Names the response for carrying it back. */
  ref: string;
  error: SdkError | null;
  id: string;
  model: string;
  text: string;
  refusal: string;
  thoughts: string;
  /** Signatures and the like that came with the response, in their order. */
  seals: string[];
  calls: { id: string; name: string; input: unknown }[];
  finish: string;
  stopSequence: string;
  usage: SdkUsage | null;
  /** What the response says that it cost, in dollars. */
  cost: number | null;
  choices: number;
  /** Tokens for which log probabilities came. */
  logprobs: number;
  /** Pages that the response cites. */
  cited: string[];
  /** Pieces in which text came. */
  pieces: number;
  /** Pieces in which the inputs of calls came. */
  inputPieces: number;
  headers: Record<string, string>;
  /** What is amiss in a stream's form, though the SDK takes it. */
  disorder: string;
}

/** Disjoint buckets, as the SDK's documentation says they are to be read. */
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
}

/** Thrown by a driver for what its SDK has no way to say. */
export class Unsayable extends Error {}

/** Thrown by a driver where what the SDK gave contradicts its own documentation, though the SDK did not complain. */
export class Contradiction extends Error {}
