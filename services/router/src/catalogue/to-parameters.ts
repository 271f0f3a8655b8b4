import { type Betas, Effort, type Parameters, Sampling, type Thinking, ThinkingControl } from '@tollgate/proto/router';
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
    reasoningContent: entry.reasoning_content,
    extraContent: entry.extra_content,
    signedCalls: entry.signed_calls,
    mediaInResults: entry.media_in_results,
    forcedCalls: entry.forced_calls,
    unsignedThinking: entry.unsigned_thinking,
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
