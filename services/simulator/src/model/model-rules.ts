/**
 * Rules of particular models at the real providers, which a simulated model has if its name ends with them, after plus
 * signs: `sim+adaptive` rejects what Claude from 4.7 on rejects.
 */
export type ModelRule =
  /** OpenAI's reasoning models: efforts from low to high, and no sampling. */
  | 'reasoning'
  /** OpenAI's other models. */
  | 'no-reasoning'
  /** OpenAI's search models: every chat completion searches the web. */
  | 'search'
  /** Chat completions without the fields that some providers add to earlier messages. */
  | 'plain-messages'
  /** Claude before 4.7: a temperature or top_p. */
  | 'one-sampler'
  /** Claude from 4.7 on: no sampling, no thinking budgets, no last turn of the assistant. */
  | 'adaptive'
  /** Claude models whose thinking cannot be disabled. */
  | 'always-thinks'
  /** Claude Sonnet 5.5: thinking is switched off by `between_tools`. */
  | 'between-tools'
  /** Claude models from 5.5 on, except Haiku: a call cannot be forced. */
  | 'no-forced-calls'
  /** Claude 4.5 and Gemini 2.5 Pro: thinking by a budget only. */
  | 'budget'
  /** Gemini Pro from 3 on: thinking by a level only, and not by the smallest one. */
  | 'levels'
  /** Gemini from 3 on: calls of the current turn only with a thought signature. */
  | 'signed-calls'
  /** DeepSeek's messages endpoint: reasoning is verified by no signature, and expected back with tool calls. */
  | 'unsigned-thinking'
  /** A provider of Claude models without betas. */
  | 'no-betas'
  /** Chat completions of a provider other than OpenAI, named after `as-`. */
  | `as-${string}`;

export function hasRule(model: string, rule: ModelRule): boolean {
  return model.includes('+') && model.split('+').slice(1).includes(rule);
}
