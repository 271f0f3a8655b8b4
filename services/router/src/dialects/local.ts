import type { ParametersEntry } from '../catalogue/parameters.ts';
import type { Dialect } from './index.ts';

/**
 * Servers that render a model's chat template: most templates know no developer, take instructions only at the beginning, and
 * read the arguments of earlier calls as an object.
 */
const TEMPLATE: ParametersEntry = {
  developer_role: false,
  late_system_messages: false,
  free_arguments: false,
  reasoning_switch: 'chat_template_kwargs',
  extra_content: false,
};

/** Native endpoints of these servers read the text of earlier thinking, and verify no signatures. */
const UNSIGNED: ParametersEntry = { unsigned_thinking: true };

/** Servers that operators run themselves. Each one's page in docs/providers says what differs. */
export const LOCAL_DIALECTS: Readonly<Record<string, Dialect>> = {
  vllm: { 'openai-chat': { ...TEMPLATE, reasoning_history: 'reasoning' }, 'anthropic-messages': UNSIGNED },
  sglang: { 'openai-chat': { ...TEMPLATE, reasoning_history: 'reasoning_content' }, 'anthropic-messages': UNSIGNED },
  ollama: {
    'openai-chat': {
      ...TEMPLATE,
      output_limit: 'max_tokens',
      reasoning_history: 'reasoning',
      reasoning_switch: 'reasoning_effort',
      efforts: ['none', 'low', 'medium', 'high'],
      forced_calls: false,
      unsupported: ['n', 'logit_bias'],
    },
    // It ignores `tool_choice` in this protocol as well, and gives its thinking no signature.
    'anthropic-messages': { ...UNSIGNED, forced_calls: false },
  },
  'lm-studio': {
    'openai-chat': {
      ...TEMPLATE,
      output_limit: 'max_tokens',
      reasoning_history: 'reasoning',
      reasoning_switch: 'reasoning_effort',
      named_calls: false,
      unsupported: ['n'],
    },
  },
  'llama-cpp': {
    'openai-chat': { ...TEMPLATE, reasoning_history: 'reasoning_content', named_calls: false, unsupported: ['n'] },
    'openai-responses': { ...UNSIGNED, min_output_tokens: 1 },
    'anthropic-messages': UNSIGNED,
  },
};
