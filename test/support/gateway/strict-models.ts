/** Models whose provider rejects what a kind of real model rejects, and whose entries in the catalogue say so. */
export interface StrictModel {
  readonly id: string;
  readonly protocol: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';
  /** The rules of the simulated provider, after plus signs. */
  readonly rules: string;
  readonly parameters: object;
}

const OPENAI = { max_user_id_length: 64, min_output_tokens: 16 };
const REASONING = { ...OPENAI, sampling: 'default_only', efforts: ['low', 'medium', 'high'] };
const CLAUDE = { max_temperature: 1, max_user_id_length: 256, whitespace_stops: false };

export const STRICT_MODELS: readonly StrictModel[] = [
  { id: 'strict-chat-reasoning', protocol: 'openai-chat', rules: 'reasoning', parameters: REASONING },
  {
    id: 'strict-chat-plain',
    protocol: 'openai-chat',
    rules: 'no-reasoning+plain-messages',
    parameters: { ...OPENAI, efforts: [], reasoning_history: 'none', extra_content: false },
  },
  { id: 'strict-responses-reasoning', protocol: 'openai-responses', rules: 'reasoning', parameters: REASONING },
  {
    id: 'strict-responses-plain',
    protocol: 'openai-responses',
    rules: 'no-reasoning',
    parameters: { ...OPENAI, efforts: [] },
  },
  {
    id: 'strict-claude-old',
    protocol: 'anthropic-messages',
    rules: 'one-sampler+budget',
    parameters: {
      ...CLAUDE,
      sampling: 'one_of_temperature_top_p',
      efforts: [],
      thinking: { control: 'budget', min_budget_tokens: 1_024 },
    },
  },
  {
    id: 'strict-claude-new',
    protocol: 'anthropic-messages',
    rules: 'adaptive+always-thinks',
    parameters: {
      ...CLAUDE,
      sampling: 'default_only',
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      thinking: { control: 'effort', can_disable: false },
      prefill: false,
    },
  },
  {
    id: 'strict-claude-unforced',
    protocol: 'anthropic-messages',
    rules: 'adaptive+between-tools+no-forced-calls',
    parameters: {
      ...CLAUDE,
      sampling: 'default_only',
      efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
      thinking: { control: 'effort', can_disable: false, between_tools: true },
      forced_calls: false,
      prefill: false,
    },
  },
  {
    id: 'strict-messages-unsigned',
    protocol: 'anthropic-messages',
    rules: 'unsigned-thinking',
    parameters: { ...CLAUDE, unsigned_thinking: true },
  },
  {
    id: 'strict-gemini-old',
    protocol: 'gemini',
    rules: 'budget',
    parameters: {
      thinking: { control: 'budget', min_budget_tokens: 128, max_budget_tokens: 32_768, can_disable: false },
    },
  },
  {
    id: 'strict-gemini-new',
    protocol: 'gemini',
    rules: 'levels',
    parameters: {
      efforts: ['low', 'medium', 'high'],
      thinking: { control: 'effort', can_disable: false },
      media_in_results: true,
    },
  },
];
