import type { Effort } from '../canonical/request.ts';

/** What a deployment's model accepts in requests, from the catalogue. Absent: not known. */
export interface ModelParameters {
  /**
   * Which of temperature, top_p, top_k and the penalties it accepts: any; not temperature and top_p together; only in requests
   * with the effort `none`; or only the defaults.
   */
  readonly sampling?: 'any' | 'one_of_temperature_top_p' | 'without_reasoning' | 'default_only';
  readonly maxTemperature?: number;
  /** Empty for a model without efforts. */
  readonly efforts?: readonly Effort[];
  readonly thinking?: ThinkingParameters;
  /** Tokens of the smallest output limit. */
  readonly minOutputTokens?: number;
  /** Characters of the end user's id. */
  readonly maxUserIdLength?: number;
  /** Whether stop sequences may be only white space. */
  readonly whitespaceStops?: boolean;
  /** Whether the output can be held to a JSON schema. */
  readonly jsonSchema?: boolean;
  /** Whether earlier assistant messages of chat completions may have `reasoning_content`. */
  readonly reasoningContent?: boolean;
  /** Whether earlier tool calls of chat completions may have `extra_content`. */
  readonly extraContent?: boolean;
  /** Whether Gemini rejects tool calls without a thought signature. */
  readonly signedCalls?: boolean;
  /** Whether Gemini accepts media within the results of tools. */
  readonly mediaInResults?: boolean;
  /** Whether a request of the messages protocol can force the model to call a tool. */
  readonly forcedCalls?: boolean;
  /** Whether a provider of the messages protocol takes earlier thinking without a signature. */
  readonly unsignedThinking?: boolean;
}

/** How a request sets how much a model thinks. */
export interface ThinkingParameters {
  /** By a budget of tokens, by an effort, or by either. */
  readonly control: 'budget' | 'effort' | 'any';
  readonly minBudgetTokens?: number;
  readonly maxBudgetTokens?: number;
  readonly canDisable: boolean;
  /** Whether a Claude model accepts `between_tools` instead of `disabled`: it then thinks only between calls. */
  readonly betweenTools?: boolean;
}

/** Nothing is known. */
export const NO_PARAMETERS: ModelParameters = {};
