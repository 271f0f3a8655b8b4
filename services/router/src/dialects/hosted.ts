import type { Dialect } from './index.ts';

/** Providers that are called over the Internet. */
export const HOSTED_DIALECTS: Readonly<Record<string, Dialect>> = {
  openai: { 'openai-chat': { output_limit: 'max_completion_tokens', reasoning_history: 'none', extra_content: false } },
  openrouter: { 'openai-chat': { reasoning_history: 'reasoning_details', reasoning_switch: 'reasoning' } },
  groq: { 'openai-chat': { reasoning_history: 'reasoning' } },
  mistral: {
    'openai-chat': {
      output_limit: 'max_tokens',
      developer_role: false,
      reasoning_history: 'thinking_parts',
      tool_call_ids: 'nine_alphanumeric',
    },
  },
  deepseek: {
    'openai-chat': {
      output_limit: 'max_tokens',
      developer_role: false,
      reasoning_history: 'reasoning_content',
      reasoning_switch: 'thinking',
    },
    'anthropic-messages': { unsigned_thinking: true },
  },
  xai: { 'openai-chat': { reasoning_history: 'reasoning_content' } },
  together: { 'openai-chat': { output_limit: 'max_tokens', reasoning_history: 'reasoning' } },
  fireworks: { 'openai-chat': { output_limit: 'max_tokens', reasoning_history: 'reasoning_content' } },
  cerebras: { 'openai-chat': { reasoning_history: 'reasoning' } },
  perplexity: { 'openai-chat': { output_limit: 'max_tokens', repeated_roles: false } },
  moonshot: {
    'openai-chat': { reasoning_history: 'reasoning_content', reasoning_switch: 'thinking' },
    'anthropic-messages': { unsigned_thinking: true },
  },
  zhipu: {
    'openai-chat': { output_limit: 'max_tokens', reasoning_history: 'reasoning_content', reasoning_switch: 'thinking' },
    'anthropic-messages': { unsigned_thinking: true },
  },
  qwen: {
    'openai-chat': {
      output_limit: 'max_tokens',
      reasoning_history: 'reasoning_content',
      reasoning_switch: 'enable_thinking',
    },
    'anthropic-messages': { unsigned_thinking: true },
  },
};
