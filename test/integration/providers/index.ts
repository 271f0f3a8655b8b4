import { anthropic } from './anthropic.ts';
import { cerebras } from './cerebras.ts';
import { deepseek } from './deepseek.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { llamaCpp } from './llama-cpp.ts';
import { lmStudio } from './lm-studio.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { perplexity } from './perplexity.ts';
import { qwen } from './qwen.ts';
import type { RecordedProvider } from './recorded.ts';
import { sglang } from './sglang.ts';
import { together } from './together.ts';
import { vllm } from './vllm.ts';
import { xai } from './xai.ts';
import { zhipu } from './zhipu.ts';

/** Every recorded provider, in the order of the table in docs/providers. */
export const PROVIDERS: readonly RecordedProvider[] = [
  openai,
  anthropic,
  gemini,
  openrouter,
  groq,
  mistral,
  deepseek,
  xai,
  together,
  fireworks,
  cerebras,
  perplexity,
  moonshot,
  zhipu,
  qwen,
  vllm,
  sglang,
  ollama,
  lmStudio,
  llamaCpp,
];
