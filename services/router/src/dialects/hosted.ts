import type { ParametersEntry } from '../catalogue/parameters.ts';
import type { Dialect } from './index.ts';

/** Fields that only OpenAI has. Providers that reject unknown fields reject them. */
const ONLY_OPENAI = [
  'store',
  'verbosity',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'prediction',
  'web_search_options',
];

/** The messages endpoints of these providers verify no signatures, and want thinking back with tool calls. */
const UNSIGNED: ParametersEntry = { unsigned_thinking: true };

/** Providers that are called over the Internet. Each one's page in docs/providers says what differs. */
export const HOSTED_DIALECTS: Readonly<Record<string, Dialect>> = {
  openai: { 'openai-chat': { output_limit: 'max_completion_tokens', reasoning_history: 'none', extra_content: false } },
  openrouter: { 'openai-chat': { reasoning_history: 'reasoning_details', reasoning_switch: 'reasoning' } },
  groq: {
    'openai-chat': {
      reasoning_history: 'reasoning',
      extra_content: false,
      unsupported: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'messages[].name', ...ONLY_OPENAI],
    },
  },
  mistral: {
    'openai-chat': {
      output_limit: 'max_tokens',
      developer_role: false,
      reasoning_history: 'thinking_parts',
      extra_content: false,
      tool_call_ids: 'nine_alphanumeric',
      // Usage is in the last chunk without being asked for.
      unsupported: [
        'seed',
        'logprobs',
        'top_logprobs',
        'logit_bias',
        'user',
        'service_tier',
        'stream_options',
        ...ONLY_OPENAI.filter((field) => field !== 'prompt_cache_key'),
      ],
    },
  },
  deepseek: {
    'openai-chat': {
      output_limit: 'max_tokens',
      developer_role: false,
      reasoning_history: 'reasoning_content',
      reasoning_required: true,
      reasoning_switch: 'thinking',
      efforts: ['low', 'high', 'max'],
      json_schema: false,
      forced_calls: false,
      extra_content: false,
      unsupported: ['n', 'logit_bias', 'seed', 'parallel_tool_calls', ...ONLY_OPENAI],
    },
    'anthropic-messages': UNSIGNED,
  },
  xai: {
    'openai-chat': {
      reasoning_history: 'none',
      extra_content: false,
      unsupported: ['stop', 'presence_penalty', 'frequency_penalty', 'logit_bias'],
    },
    'openai-responses': {
      null_content: false,
      unsupported: [
        'stop',
        'presence_penalty',
        'frequency_penalty',
        'prompt_cache_retention',
        'safety_identifier',
        'tools[].external_web_access',
        'tools[].search_context_size',
      ],
    },
  },
  together: { 'openai-chat': { output_limit: 'max_tokens', developer_role: false, reasoning_history: 'reasoning' } },
  fireworks: {
    'openai-chat': { output_limit: 'max_tokens', developer_role: false, reasoning_history: 'reasoning_content' },
  },
  cerebras: {
    'openai-chat': {
      output_limit: 'max_completion_tokens',
      // It has system messages only, which gpt-oss takes as a developer's.
      developer_role: false,
      reasoning_history: 'reasoning',
      extra_content: false,
      // It checks a `logit_bias` and never applies it.
      unsupported: ['n', 'logit_bias', ...ONLY_OPENAI],
    },
  },
  perplexity: {
    'openai-chat': {
      output_limit: 'max_tokens',
      developer_role: false,
      late_system_messages: false,
      repeated_roles: false,
      reasoning_history: 'none',
      extra_content: false,
      unsupported: [
        'tools',
        'tool_choice',
        'parallel_tool_calls',
        'n',
        'stop',
        'seed',
        'logit_bias',
        'logprobs',
        'top_logprobs',
        ...ONLY_OPENAI.filter((field) => field !== 'web_search_options'),
      ],
    },
  },
  moonshot: {
    'openai-chat': {
      developer_role: false,
      sampling: 'default_only',
      reasoning_history: 'reasoning_content',
      reasoning_required: true,
      reasoning_switch: 'thinking',
      efforts: [],
      forced_calls: false,
      extra_content: false,
      unsupported: ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'seed'],
    },
    'anthropic-messages': UNSIGNED,
  },
  zhipu: {
    'openai-chat': {
      output_limit: 'max_tokens',
      developer_role: false,
      max_temperature: 1,
      reasoning_history: 'reasoning_content',
      reasoning_switch: 'thinking',
      efforts: [],
      json_schema: false,
      forced_calls: false,
      extra_content: false,
      unsupported: ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'seed', 'presence_penalty', 'frequency_penalty'],
    },
    'anthropic-messages': UNSIGNED,
  },
  qwen: {
    'openai-chat': {
      output_limit: 'max_tokens',
      developer_role: false,
      reasoning_history: 'reasoning_content',
      reasoning_switch: 'enable_thinking',
      efforts: [],
      forced_calls: false,
      extra_content: false,
      unsupported: ['logit_bias'],
    },
    'anthropic-messages': UNSIGNED,
  },
};
