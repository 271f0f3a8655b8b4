import type { Dialect } from './index.ts';

/** Servers that operators run themselves. */
export const LOCAL_DIALECTS: Readonly<Record<string, Dialect>> = {
  vllm: { 'openai-chat': { reasoning_history: 'reasoning', reasoning_switch: 'chat_template_kwargs' } },
  sglang: { 'openai-chat': { reasoning_history: 'reasoning_content', reasoning_switch: 'chat_template_kwargs' } },
  ollama: { 'openai-chat': { reasoning_history: 'reasoning', output_limit: 'max_tokens' } },
  'lm-studio': { 'openai-chat': { reasoning_history: 'reasoning', output_limit: 'max_tokens' } },
  'llama-cpp': {
    'openai-chat': {
      reasoning_history: 'reasoning_content',
      reasoning_switch: 'chat_template_kwargs',
      free_arguments: false,
      unsupported: ['n'],
    },
    'anthropic-messages': { unsigned_thinking: true },
  },
};
