import type { Effort } from '../canonical/request.ts';
import type { JsonRecord } from '../json/record.ts';

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
  /** Whether earlier tool calls of chat completions may have `extra_content`. */
  readonly extraContent?: boolean;
  /** Whether Gemini rejects tool calls without a thought signature. */
  readonly signedCalls?: boolean;
  /** Whether Gemini accepts media within the results of tools. */
  readonly mediaInResults?: boolean;
  /** Whether a request of the messages protocol or of chat completions can force the model to call a tool. */
  readonly forcedCalls?: boolean;
  /** Chat completions: whether a request can name the tool that the model must call. */
  readonly namedCalls?: boolean;
  /** Whether a provider of messages or responses takes earlier thinking without a signature. */
  readonly unsignedThinking?: boolean;
  /** Whether the model goes on with a last turn of the assistant. */
  readonly prefill?: boolean;
  /** OpenAI's responses and the messages protocol: whether the provider can search among deferred tools. */
  readonly toolSearch?: boolean;
  /** Chat completions: the name of the output limit. */
  readonly outputLimit?: 'max_completion_tokens' | 'max_tokens';
  /** Chat completions: whether instructions may have the role `developer`. */
  readonly developerRole?: boolean;
  /** Chat completions: whether system messages may be several, and come after the beginning. */
  readonly lateSystemMessages?: boolean;
  /** Chat completions: whether two user messages, or two assistant messages, may follow each other. */
  readonly repeatedRoles?: boolean;
  /** Chat completions: whether texts may be lists of parts. */
  readonly contentParts?: boolean;
  /** Whether content may be null: that of a message with tool calls in chat completions, of earlier reasoning in responses. */
  readonly nullContent?: boolean;
  readonly reasoningHistory?: ReasoningHistory;
  /** Chat completions: whether earlier assistant messages must have `reasoning_content`, be it empty. */
  readonly reasoningRequired?: boolean;
  readonly reasoningSwitch?: ReasoningSwitch;
  /** Chat completions: the form of tool call ids. */
  readonly toolCallIds?: 'any' | 'nine_alphanumeric';
  /** Chat completions: whether arguments of earlier calls may be any text instead of a JSON object. */
  readonly freeArguments?: boolean;
  /** OpenAI's protocols: fields that the provider does not take, such as `logit_bias` or `tools[].function.strict`. */
  readonly unsupported?: readonly string[];
  /** Chat completions: fields that requests have unless the client sets them. */
  readonly addedFields?: JsonRecord;
}

/** Chat completions: where earlier assistant messages have their reasoning. `thinking_parts`: in their content. */
export type ReasoningHistory = 'none' | 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking_parts';

/** Chat completions: the field that sets how much to think, or whether. */
export type ReasoningSwitch =
  | 'reasoning_effort'
  | 'reasoning'
  | 'thinking'
  | 'enable_thinking'
  | 'chat_template_kwargs';

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
