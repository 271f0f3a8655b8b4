import { chatStream, chatWhole, type UsageShape } from './shape.ts';

const PYDANTIC = 'cassettes of pydantic-ai';
const AI_SDK = 'fixtures of vercel/ai';
const ROUTER = 'https://openrouter.ai/docs/guides/administration/usage-accounting';

const plain = { prompt_tokens: 45, completion_tokens: 66, total_tokens: 111 };
const meant = { input: 45, output: 66 };
const reasoned = { prompt_tokens: 24, completion_tokens: 135, total_tokens: 159 };
const withReasoning = { ...reasoned, completion_tokens_details: { reasoning_tokens: 108 } };
const reasoning = { input: 24, output: 27, reasoning: 108 };
const shape = (provider: string, name: string, source: string, counts: UsageShape['meant']) => ({
  provider,
  name,
  source,
  meant: counts,
});

const groqTimes = { queue_time: 0.04, prompt_time: 0.0039, completion_time: 2.652230333, total_time: 2.656170478 };
const openrouter = {
  prompt_tokens: 550,
  completion_tokens: 12,
  total_tokens: 562,
  cost: 0.00183,
  is_byok: false,
  prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 50, audio_tokens: 0, video_tokens: 0 },
  cost_details: { upstream_inference_cost: 0.00183, upstream_inference_prompt_cost: 0.00165 },
  completion_tokens_details: { reasoning_tokens: 4, image_tokens: 0, audio_tokens: 0 },
};
const openrouterMeant = { input: 400, cache_read: 100, cache_write_5m: 50, output: 8, reasoning: 4 };
const xai = {
  prompt_tokens: 12,
  completion_tokens: 2,
  total_tokens: 354,
  prompt_tokens_details: { text_tokens: 12, audio_tokens: 0, image_tokens: 0, cached_tokens: 11 },
  completion_tokens_details: { reasoning_tokens: 340, audio_tokens: 0, accepted_prediction_tokens: 0 },
  num_sources_used: 0,
  cost_in_usd_ticks: 1_721_250,
};
const deepseek = {
  prompt_tokens: 495,
  completion_tokens: 144,
  total_tokens: 639,
  prompt_tokens_details: { cached_tokens: 320 },
  completion_tokens_details: { reasoning_tokens: 118 },
  prompt_cache_hit_tokens: 320,
  prompt_cache_miss_tokens: 175,
};
const running = (completion_tokens: number) => ({
  usage: { prompt_tokens: 45, completion_tokens, total_tokens: 45 + completion_tokens },
});
const nulls = { prompt_tokens_details: null, completion_tokens_details: null };
const llamaTimings = { cache_n: 40, prompt_n: 5, prompt_ms: 30.5, predicted_n: 66, predicted_ms: 900.25 };
const perplexity = { ...plain, search_context_size: 'low' };
const qwenCache = {
  cached_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 40 },
  cache_creation_input_tokens: 40,
  cache_type: 'ephemeral',
};

/** Chat completions. */
export const CHAT_SHAPES: readonly UsageShape[] = [
  chatWhole(
    shape('OpenAI', 'details', 'https://platform.openai.com/docs/api-reference/chat/object', {
      input: 5,
      cache_read: 40,
      output: 26,
      reasoning: 40,
    }),
    {
      ...plain,
      prompt_tokens_details: { cached_tokens: 40, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 40,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
  ),
  chatStream(
    shape(
      'OpenAI',
      'null until an extra chunk',
      'https://platform.openai.com/docs/api-reference/chat/streaming',
      meant,
    ),
    {
      running: [{ usage: null }, { usage: null }],
      last: { usage: null },
      extra: { usage: { ...plain, ...nulls } },
    },
  ),
  chatWhole(
    shape(
      'Gemini API',
      'thoughts only in the total',
      'https://discuss.ai.google.dev, reports of the OpenAI-compatible endpoint',
      { input: 45, output: 66, reasoning: 300 },
    ),
    { ...plain, total_tokens: 411 },
  ),
  chatStream(shape('Gemini API', 'at each chunk', AI_SDK, { input: 45, output: 66, reasoning: 30 }), {
    running: [running(3), running(40)],
    last: { usage: { ...plain, total_tokens: 141 } },
  }),
  chatWhole(
    { ...shape('OpenRouter', 'cost and cache writes', PYDANTIC, openrouterMeant), upstreamNanos: 1_830_000n },
    openrouter,
  ),
  chatStream(
    {
      ...shape('OpenRouter', 'after comments, in a chunk with a choice', ROUTER, openrouterMeant),
      upstreamNanos: 1_830_000n,
    },
    { comments: true, last: { usage: openrouter } },
  ),
  chatStream(
    { ...shape('OpenRouter', 'in a chunk of its own', PYDANTIC, openrouterMeant), upstreamNanos: 1_830_000n },
    { extra: { usage: openrouter } },
  ),
  chatWhole(
    { ...shape('OpenRouter', 'the operator’s own key', PYDANTIC, { input: 326, output: 91 }), upstreamNanos: 325_300n },
    {
      prompt_tokens: 326,
      completion_tokens: 91,
      total_tokens: 417,
      cost: 0,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.0003253 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  ),
  chatWhole(
    { ...shape('OpenRouter', 'more reasoning than output', PYDANTIC, { input: 43, reasoning: 10 }), upstreamNanos: 0n },
    {
      prompt_tokens: 43,
      completion_tokens: 10,
      total_tokens: 53,
      cost: 0,
      is_byok: false,
      completion_tokens_details: { reasoning_tokens: 11 },
    },
  ),
  chatWhole(
    shape('Groq', 'times', AI_SDK, meant),
    { ...groqTimes, ...plain },
    { x_groq: { id: 'req_1', seed: 7 }, usage_breakdown: null },
  ),
  chatStream(shape('Groq', 'only in x_groq', PYDANTIC, meant), {
    running: [{ x_groq: { id: 'req_1' } }],
    last: { x_groq: { id: 'req_1', usage: { ...groqTimes, ...plain } } },
  }),
  chatStream(shape('Groq', 'in x_groq and in usage', AI_SDK, reasoning), {
    last: { x_groq: { id: 'req_1', usage: withReasoning }, usage: withReasoning },
  }),
  chatStream(shape('Groq', 'in x_groq, and in a chunk of its own', AI_SDK, meant), {
    last: { x_groq: { id: 'req_1', usage: plain } },
    extra: { usage: plain },
  }),
  chatWhole(shape('Mistral', 'cached tokens', PYDANTIC, { input: 43, cache_read: 128, output: 14 }), {
    prompt_tokens: 171,
    total_tokens: 185,
    completion_tokens: 14,
    prompt_tokens_details: { cached_tokens: 128 },
  }),
  chatStream(shape('Mistral', 'in the last chunk', AI_SDK, { input: 10, output: 46 }), {
    last: { usage: { prompt_tokens: 10, total_tokens: 56, completion_tokens: 46 } },
  }),
  chatWhole(
    shape('Mistral', 'num_cached_tokens', 'https://docs.mistral.ai/api', { input: 43, cache_read: 128, output: 14 }),
    { prompt_tokens: 171, total_tokens: 185, completion_tokens: 14, num_cached_tokens: 128 },
  ),
  chatWhole(
    shape('DeepSeek', 'hits, misses and details', AI_SDK, { input: 175, cache_read: 320, output: 26, reasoning: 118 }),
    deepseek,
  ),
  chatStream(
    shape('DeepSeek', 'in the last chunk', AI_SDK, { input: 175, cache_read: 320, output: 26, reasoning: 118 }),
    { last: { usage: deepseek } },
  ),
  chatWhole(
    shape('DeepSeek', 'hits and misses alone', 'https://api-docs.deepseek.com/guides/kv_cache', {
      input: 13,
      cache_read: 64,
      output: 30,
    }),
    {
      prompt_tokens: 77,
      completion_tokens: 30,
      total_tokens: 107,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 13,
    },
  ),
  chatWhole(
    {
      ...shape('xAI', 'reasoning on top', AI_SDK, { input: 1, cache_read: 11, output: 2, reasoning: 340 }),
      upstreamNanos: 172_125n,
    },
    xai,
  ),
  chatStream(
    {
      ...shape('xAI', 'at each chunk', AI_SDK, { input: 1, cache_read: 11, output: 2, reasoning: 340 }),
      upstreamNanos: 172_125n,
    },
    { running: [{ usage: { ...xai, completion_tokens: 1, total_tokens: 353 } }, { usage: xai }], last: { usage: xai } },
  ),
  chatStream(
    {
      ...shape('xAI', 'in a chunk of its own', AI_SDK, { input: 1, cache_read: 11, output: 2, reasoning: 340 }),
      upstreamNanos: 172_125n,
    },
    { extra: { usage: xai } },
  ),
  chatWhole(
    shape('Together', 'cached_tokens', 'cassettes of Mirascope and pydantic-ai', {
      input: 5,
      cache_read: 40,
      output: 66,
    }),
    { ...plain, cached_tokens: 40 },
  ),
  chatStream(shape('Together', 'beside the finish reason', PYDANTIC, { input: 5, cache_read: 40, output: 66 }), {
    running: [{ usage: null }, { usage: null }],
    last: { usage: { ...plain, cached_tokens: 40 } },
  }),
  chatStream(
    shape('Fireworks', 'beside the finish reason', 'https://docs.fireworks.ai/api-reference/post-chatcompletions', {
      input: 5,
      cache_read: 40,
      output: 66,
    }),
    {
      running: [{ usage: null }, { usage: null }],
      last: { usage: { ...plain, prompt_tokens_details: { cached_tokens: 40 } } },
    },
  ),
  chatStream(
    shape('Fireworks', 'in a chunk of its own', 'https://github.com/langchain-ai/langchain/pull/36977', {
      input: 5,
      cache_read: 40,
      output: 66,
    }),
    {
      running: [{ usage: null }, { usage: null }],
      last: { usage: null },
      extra: { usage: { ...plain, prompt_tokens_details: { cached_tokens: 40 } } },
    },
  ),
  chatWhole(
    shape('Fireworks', 'details', 'fixtures of agentjido/req_llm', {
      input: 5,
      cache_read: 40,
      output: 66,
    }),
    { prompt_tokens: 45, total_tokens: 111, completion_tokens: 66, prompt_tokens_details: { cached_tokens: 40 } },
  ),
  chatWhole(
    shape('Cerebras', 'times', PYDANTIC, { input: 79, output: 12, reasoning: 25 }),
    {
      prompt_tokens: 79,
      completion_tokens: 37,
      total_tokens: 116,
      completion_tokens_details: { accepted_prediction_tokens: 0, rejected_prediction_tokens: 0, reasoning_tokens: 25 },
      prompt_tokens_details: { cached_tokens: 0 },
    },
    { time_info: { queue_time: 0.1, total_time: 0.2 } },
  ),
  chatStream(shape('Cerebras', 'beside the finish reason', PYDANTIC, { input: 43, output: 9 }), {
    last: { usage: { prompt_tokens: 43, completion_tokens: 9, total_tokens: 52 }, time_info: { total_time: 0.2 } },
  }),
  chatWhole(
    {
      ...shape('Perplexity', 'a breakdown of the cost', 'https://docs.perplexity.ai/api-reference/sonar-post', meant),
      upstreamNanos: 6_111_000n,
    },
    {
      ...perplexity,
      cost: { input_tokens_cost: 0.000045, output_tokens_cost: 0.000066, request_cost: 0.006, total_cost: 0.006111 },
    },
  ),
  chatStream(
    { ...shape('Perplexity', 'at each chunk', AI_SDK, meant), upstreamNanos: 6_111_000n },
    {
      running: [running(1), running(30)],
      last: { usage: { ...perplexity, cost: { total_cost: 0.006111 } } },
      done: false,
    },
  ),
  chatWhole(
    shape(
      'Perplexity',
      'a deep search',
      'https://docs.perplexity.ai/getting-started/models/models/sonar-deep-research',
      { input: 545, output: 66, reasoning: 700, search: 4 },
    ),
    { ...plain, citation_tokens: 500, num_search_queries: 4, reasoning_tokens: 700 },
  ),
  chatWhole(shape('Moonshot', 'cached_tokens', AI_SDK, { input: 10, cache_read: 10, output: 8, reasoning: 22 }), {
    prompt_tokens: 20,
    completion_tokens: 30,
    total_tokens: 50,
    cached_tokens: 10,
    completion_tokens_details: { reasoning_tokens: 22 },
  }),
  chatStream(
    shape('Moonshot', 'only in the choice', 'https://platform.moonshot.ai/docs/api/chat', {
      input: 5,
      cache_read: 40,
      output: 66,
    }),
    { lastChoice: { usage: { ...plain, cached_tokens: 40 } } },
  ),
  chatStream(
    shape('Moonshot', 'only in the choice, with details', 'a recorded stream of kimi-k2.7-code', {
      input: 5,
      cache_read: 40,
      output: 40,
      reasoning: 26,
    }),
    {
      lastChoice: {
        usage: {
          ...plain,
          cached_tokens: 40,
          completion_tokens_details: { reasoning_tokens: 26 },
          prompt_tokens_details: { cached_tokens: 40 },
        },
      },
    },
  ),
  chatStream(
    shape('Moonshot', 'in the choice and in a chunk of its own', 'https://platform.moonshot.ai/docs/api/chat', meant),
    { lastChoice: { usage: plain }, extra: { usage: plain } },
  ),
  chatWhole(shape('Zhipu', 'details', PYDANTIC, { input: 431, cache_read: 4, output: 17, reasoning: 56 }), {
    prompt_tokens: 435,
    completion_tokens: 73,
    total_tokens: 508,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 56 },
  }),
  chatStream(shape('Zhipu', 'beside the finish reason', PYDANTIC, { input: 13, output: 3, reasoning: 56 }), {
    last: {
      usage: {
        prompt_tokens: 13,
        completion_tokens: 59,
        total_tokens: 72,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 56 },
      },
    },
  }),
  chatWhole(shape('Qwen', 'reasoning', AI_SDK, reasoning), {
    ...withReasoning,
    prompt_tokens_details: { cached_tokens: 0 },
  }),
  chatStream(shape('Qwen', 'in a chunk of its own', AI_SDK, reasoning), {
    running: [{ usage: null }, { usage: null }],
    last: { usage: null },
    extra: { usage: { ...withReasoning, prompt_tokens_details: { cached_tokens: 0 } } },
  }),
  chatWhole(
    shape('Qwen', 'a cache of its own', 'https://help.aliyun.com/en/model-studio/context-cache', {
      input: 5,
      cache_write_5m: 40,
      output: 66,
    }),
    { ...plain, prompt_tokens_details: qwenCache },
  ),
  chatWhole(
    shape('vLLM', 'null details', 'vllm/entrypoints/openai/protocol.py', meant),
    { prompt_tokens: 45, total_tokens: 111, completion_tokens: 66, ...nulls },
    { prompt_logprobs: null, kv_transfer_params: null },
  ),
  chatStream(
    shape(
      'vLLM',
      'continuous_usage_stats',
      'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
      meant,
    ),
    { running: [running(3), running(66)], last: running(66), extra: { usage: plain } },
  ),
  chatStream(
    shape(
      'vLLM',
      'continuous_usage_stats without a last chunk',
      'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
      meant,
    ),
    { running: [running(3), running(60)], last: running(66) },
  ),
  chatWhole(shape('SGLang', 'reasoning beside the totals', 'sglang/srt/entrypoints/openai/protocol.py', reasoning), {
    prompt_tokens: 24,
    total_tokens: 159,
    completion_tokens: 135,
    prompt_tokens_details: null,
    reasoning_tokens: 108,
  }),
  chatStream(
    shape('SGLang', 'in a chunk of its own', 'sglang/srt/entrypoints/openai/protocol.py', {
      input: 5,
      cache_read: 40,
      output: 66,
    }),
    { extra: { usage: { ...plain, prompt_tokens_details: { cached_tokens: 40 }, reasoning_tokens: 0 } } },
  ),
  chatWhole(shape('Ollama', 'totals', PYDANTIC, { input: 134, output: 122 }), {
    prompt_tokens: 134,
    completion_tokens: 122,
    total_tokens: 256,
  }),
  chatStream(shape('Ollama', 'in a chunk of its own', 'ollama/openai/openai.go', meant), { extra: { usage: plain } }),
  chatWhole(shape('LM Studio', 'beside statistics', 'https://lmstudio.ai/docs/developer/openai-compat', meant), plain, {
    stats: {},
    system_fingerprint: 'up',
  }),
  chatStream(shape('LM Studio', 'floats', 'https://lmstudio.ai/docs/developer/openai-compat', meant), {
    extra: { usage: { ...plain, prompt_tokens: '45.0', completion_tokens: '66' } },
  }),
  chatStream(
    shape('llama.cpp', 'only timings', 'tools/server/README.md of llama.cpp', { input: 5, cache_read: 40, output: 66 }),
    { last: { timings: llamaTimings } },
  ),
  chatWhole(
    shape('llama.cpp', 'usage and timings', 'tools/server/README.md of llama.cpp', {
      input: 5,
      cache_read: 40,
      output: 66,
    }),
    plain,
    { timings: llamaTimings },
  ),
];
