import type { JsonRecord } from '../json/record.ts';
import type { Message } from './message.ts';
import type { Tool, ToolChoice } from './tool.ts';

export type ResponseFormat =
  | { readonly type: 'text' }
  /** Any JSON object. */
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonRecord;
      readonly strict?: boolean;
    };

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** How much a model should think: an effort, a budget, or neither if the model decides. */
export interface Reasoning {
  readonly effort?: Effort;
  /** Tokens; 0 is the same as the effort `none`. */
  readonly budgetTokens?: number;
  /** The model itself decides how much. */
  readonly adaptive?: boolean;
  /** How much of the reasoning to return; the protocol's default when absent. */
  readonly show?: 'none' | 'auto' | 'concise' | 'detailed';
}

/** Independent fields of a request. Absent if the client did not set them. */
export interface RequestFields {
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  /** For each choice, reasoning included. */
  readonly maxOutputTokens?: number;
  readonly responseFormat?: ResponseFormat;
  readonly verbosity?: 'low' | 'medium' | 'high';
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  /** By token id of the model's own tokenizer. */
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly stop?: readonly string[];
  /** The number of choices generated for the prompt. */
  readonly choices?: number;
  /** Log probabilities of the chosen tokens, and of this many alternatives at each position. */
  readonly logprobs?: { readonly top: number };
  readonly reasoning?: Reasoning;
  /** Groups requests with the same prefix, for the provider's cache. */
  readonly cacheKey?: string;
  readonly cacheRetention?: string;
  /** Caches the prompt at the provider, up to the breakpoint the provider selects. */
  readonly cache?: { readonly ttl?: '5m' | '1h' };
  readonly metadata?: Readonly<Record<string, string>>;
  /** Names the end user to the provider, for its abuse checks. */
  readonly userId?: string;
  /** `auto`: the provider may leave out the middle of a conversation that is too long. */
  readonly truncation?: 'auto' | 'disabled';
}

/** A field's name in the canonical form. */
export type FieldName = keyof RequestFields;

/**
 * A vendor-neutral generation request. The model's name and whether to stream are not part of it: they belong to the
 * call, see EncodeTarget.
 */
export interface CanonicalRequest extends RequestFields {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** The client's name of each field it set, such as `generationConfig.topK`. */
  readonly names: Readonly<Partial<Record<FieldName, string>>>;
}
