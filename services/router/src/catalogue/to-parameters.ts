import {
  type Betas,
  Effort,
  OutputLimitName,
  type Parameters,
  ReasoningHistory,
  ReasoningSwitch,
  Sampling,
  type Thinking,
  ThinkingControl,
  ToolCallIds,
} from '@tollgate/proto/router';
import type { BetasEntry, ParametersEntry } from './parameters.ts';

const SAMPLING_OF = {
  any: Sampling.ANY,
  one_of_temperature_top_p: Sampling.ONE_OF_TEMPERATURE_TOP_P,
  without_reasoning: Sampling.WITHOUT_REASONING,
  default_only: Sampling.DEFAULT_ONLY,
} as const;

const EFFORT_OF = {
  none: Effort.NONE,
  minimal: Effort.MINIMAL,
  low: Effort.LOW,
  medium: Effort.MEDIUM,
  high: Effort.HIGH,
  xhigh: Effort.XHIGH,
  max: Effort.MAX,
} as const;

const CONTROL_OF = {
  budget: ThinkingControl.BUDGET,
  effort: ThinkingControl.EFFORT,
  any: ThinkingControl.ANY,
} as const;

const OUTPUT_LIMIT_OF = {
  max_completion_tokens: OutputLimitName.MAX_COMPLETION_TOKENS,
  max_tokens: OutputLimitName.MAX_TOKENS,
} as const;

const HISTORY_OF = {
  none: ReasoningHistory.NONE,
  reasoning_content: ReasoningHistory.REASONING_CONTENT,
  reasoning: ReasoningHistory.REASONING,
  reasoning_details: ReasoningHistory.REASONING_DETAILS,
  thinking_parts: ReasoningHistory.THINKING_PARTS,
} as const;

const SWITCH_OF = {
  reasoning_effort: ReasoningSwitch.REASONING_EFFORT,
  reasoning: ReasoningSwitch.REASONING,
  thinking: ReasoningSwitch.THINKING,
  enable_thinking: ReasoningSwitch.ENABLE_THINKING,
  chat_template_kwargs: ReasoningSwitch.CHAT_TEMPLATE_KWARGS,
} as const;

const CALL_IDS_OF = { any: ToolCallIds.ANY, nine_alphanumeric: ToolCallIds.NINE_ALPHANUMERIC } as const;

/** @param entry merged */
export function toParameters(entry: ParametersEntry): Parameters {
  return {
    sampling: entry.sampling === undefined ? Sampling.UNSPECIFIED : SAMPLING_OF[entry.sampling],
    maxTemperature: entry.max_temperature,
    efforts:
      entry.efforts === undefined ? undefined : { values: [...new Set(entry.efforts)].map((one) => EFFORT_OF[one]) },
    thinking: toThinking(entry.thinking),
    minOutputTokens: entry.min_output_tokens,
    maxUserIdLength: entry.max_user_id_length,
    whitespaceStops: entry.whitespace_stops,
    jsonSchema: entry.json_schema,
    extraContent: entry.extra_content,
    signedCalls: entry.signed_calls,
    mediaInResults: entry.media_in_results,
    forcedCalls: entry.forced_calls,
    namedCalls: entry.named_calls,
    unsignedThinking: entry.unsigned_thinking,
    prefill: entry.prefill,
    toolSearch: entry.tool_search,
    outputLimit: entry.output_limit === undefined ? OutputLimitName.UNSPECIFIED : OUTPUT_LIMIT_OF[entry.output_limit],
    developerRole: entry.developer_role,
    lateSystemMessages: entry.late_system_messages,
    repeatedRoles: entry.repeated_roles,
    contentParts: entry.content_parts,
    nullContent: entry.null_content,
    reasoningHistory:
      entry.reasoning_history === undefined ? ReasoningHistory.UNSPECIFIED : HISTORY_OF[entry.reasoning_history],
    reasoningRequired: entry.reasoning_required,
    reasoningSwitch:
      entry.reasoning_switch === undefined ? ReasoningSwitch.UNSPECIFIED : SWITCH_OF[entry.reasoning_switch],
    toolCallIds: entry.tool_call_ids === undefined ? ToolCallIds.UNSPECIFIED : CALL_IDS_OF[entry.tool_call_ids],
    freeArguments: entry.free_arguments,
    unsupported: entry.unsupported ?? [],
    addedFields: entry.added_fields === undefined ? '' : JSON.stringify(entry.added_fields),
  };
}

function toThinking(entry: ParametersEntry['thinking']): Thinking | undefined {
  if (entry === undefined) return undefined;
  return {
    control: CONTROL_OF[entry.control],
    minBudgetTokens: entry.min_budget_tokens,
    maxBudgetTokens: entry.max_budget_tokens,
    canDisable: entry.can_disable,
    betweenTools: entry.between_tools,
  };
}

export function toBetas(entry: BetasEntry | undefined): Betas | undefined {
  if (entry === undefined) return undefined;
  return { forwardsUnlisted: entry.policy === 'forward', list: entry.list };
}
