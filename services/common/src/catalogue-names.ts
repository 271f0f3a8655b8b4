import {
  AuthScheme,
  Bucket,
  Effort,
  Modality,
  OutputLimitName,
  Protocol,
  ReasoningHistory,
  ReasoningSwitch,
  RequestForm,
  Sampling,
  ThinkingControl,
  ToolCallIds,
} from '@tollgate/proto/router';

/** Public names of buckets, in charge lines and in prices of the catalogue file. */
export const BUCKET_NAMES: Readonly<Record<Bucket, string>> = {
  [Bucket.UNSPECIFIED]: 'unspecified',
  [Bucket.INPUT]: 'input',
  [Bucket.CACHE_READ]: 'cache_read',
  [Bucket.CACHE_WRITE_5M]: 'cache_write_5m',
  [Bucket.CACHE_WRITE_30M]: 'cache_write_30m',
  [Bucket.CACHE_WRITE_1H]: 'cache_write_1h',
  [Bucket.CACHE_WRITE_12H]: 'cache_write_12h',
  [Bucket.OUTPUT]: 'output',
  [Bucket.REASONING]: 'reasoning',
  [Bucket.IMAGE]: 'image',
  [Bucket.SEARCH]: 'search',
  [Bucket.FETCH]: 'fetch',
  [Bucket.REQUEST]: 'request',
};

/** Public names of modalities. */
export const MODALITY_NAMES: Readonly<Record<Modality, string>> = {
  [Modality.UNSPECIFIED]: 'unspecified',
  [Modality.TEXT]: 'text',
  [Modality.IMAGE]: 'image',
  [Modality.AUDIO]: 'audio',
  [Modality.FILE]: 'file',
  [Modality.EMBEDDING]: 'embedding',
};

/** Public names of protocols. */
export const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  [Protocol.UNSPECIFIED]: 'unspecified',
  [Protocol.OPENAI_CHAT]: 'openai-chat',
  [Protocol.OPENAI_RESPONSES]: 'openai-responses',
  [Protocol.ANTHROPIC_MESSAGES]: 'anthropic-messages',
  [Protocol.GEMINI]: 'gemini',
};

/** Names of the ways in which credentials are sent, as in the catalogue file. */
export const AUTH_SCHEME_NAMES: Readonly<Record<AuthScheme, string>> = {
  [AuthScheme.UNSPECIFIED]: 'unspecified',
  [AuthScheme.BEARER]: 'bearer',
  [AuthScheme.X_API_KEY]: 'x-api-key',
  [AuthScheme.X_GOOG_API_KEY]: 'x-goog-api-key',
  [AuthScheme.NONE]: 'none',
  [AuthScheme.API_KEY]: 'api-key',
  [AuthScheme.AWS_SIGV4]: 'aws-sigv4',
  [AuthScheme.GOOGLE]: 'google',
  [AuthScheme.ENTRA]: 'entra',
};

/** Names of the forms of requests, as in the catalogue file. */
export const REQUEST_FORM_NAMES: Readonly<Record<RequestForm, string>> = {
  [RequestForm.UNSPECIFIED]: 'unspecified',
  [RequestForm.STANDARD]: 'standard',
  [RequestForm.RAW_PREDICT]: 'raw-predict',
};

/** Names of sampling settings, as in the catalogue file. */
export const SAMPLING_NAMES = {
  [Sampling.UNSPECIFIED]: 'unspecified',
  [Sampling.ANY]: 'any',
  [Sampling.ONE_OF_TEMPERATURE_TOP_P]: 'one_of_temperature_top_p',
  [Sampling.WITHOUT_REASONING]: 'without_reasoning',
  [Sampling.DEFAULT_ONLY]: 'default_only',
} as const satisfies Record<Sampling, string>;

/** Names of reasoning efforts. */
export const EFFORT_NAMES = {
  [Effort.UNSPECIFIED]: 'unspecified',
  [Effort.NONE]: 'none',
  [Effort.MINIMAL]: 'minimal',
  [Effort.LOW]: 'low',
  [Effort.MEDIUM]: 'medium',
  [Effort.HIGH]: 'high',
  [Effort.XHIGH]: 'xhigh',
  [Effort.MAX]: 'max',
} as const satisfies Record<Effort, string>;

/** Names of the ways in which a request sets how much to think, as in the catalogue file. */
export const THINKING_CONTROL_NAMES = {
  [ThinkingControl.UNSPECIFIED]: 'unspecified',
  [ThinkingControl.BUDGET]: 'budget',
  [ThinkingControl.EFFORT]: 'effort',
  [ThinkingControl.ANY]: 'any',
} as const satisfies Record<ThinkingControl, string>;

/** Names of the field of the output limit, as in the catalogue file. */
export const OUTPUT_LIMIT_NAMES = {
  [OutputLimitName.UNSPECIFIED]: 'unspecified',
  [OutputLimitName.MAX_COMPLETION_TOKENS]: 'max_completion_tokens',
  [OutputLimitName.MAX_TOKENS]: 'max_tokens',
} as const satisfies Record<OutputLimitName, string>;

/** Names of the places of earlier reasoning, as in the catalogue file. */
export const REASONING_HISTORY_NAMES = {
  [ReasoningHistory.UNSPECIFIED]: 'unspecified',
  [ReasoningHistory.NONE]: 'none',
  [ReasoningHistory.REASONING_CONTENT]: 'reasoning_content',
  [ReasoningHistory.REASONING]: 'reasoning',
  [ReasoningHistory.REASONING_DETAILS]: 'reasoning_details',
  [ReasoningHistory.THINKING_PARTS]: 'thinking_parts',
} as const satisfies Record<ReasoningHistory, string>;

/** Names of the fields that switch reasoning, as in the catalogue file. */
export const REASONING_SWITCH_NAMES = {
  [ReasoningSwitch.UNSPECIFIED]: 'unspecified',
  [ReasoningSwitch.REASONING_EFFORT]: 'reasoning_effort',
  [ReasoningSwitch.REASONING]: 'reasoning',
  [ReasoningSwitch.THINKING]: 'thinking',
  [ReasoningSwitch.ENABLE_THINKING]: 'enable_thinking',
  [ReasoningSwitch.CHAT_TEMPLATE_KWARGS]: 'chat_template_kwargs',
} as const satisfies Record<ReasoningSwitch, string>;

/** Names of the forms of tool call ids, as in the catalogue file. */
export const TOOL_CALL_ID_NAMES = {
  [ToolCallIds.UNSPECIFIED]: 'unspecified',
  [ToolCallIds.ANY]: 'any',
  [ToolCallIds.NINE_ALPHANUMERIC]: 'nine_alphanumeric',
} as const satisfies Record<ToolCallIds, string>;
