import {
  geminiStream,
  geminiWhole,
  messageStream,
  messageWhole,
  responseStream,
  responseWhole,
  type UsageShape,
} from './shape.ts';

const CLAUDE = 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching';
const shape = (provider: string, name: string, source: string, meant: UsageShape['meant']) => ({
  provider,
  name,
  source,
  meant,
});
const counts = { input_tokens: 45, output_tokens: 66, total_tokens: 111 };
const meant = { input: 45, output: 66 };
const cached = { input: 5, cache_read: 40, output: 66 };
const zero = { input_tokens: 0, output_tokens: 0 };

/** Messages. */
const MESSAGE_SHAPES: readonly UsageShape[] = [
  messageWhole(
    shape('Anthropic', 'lifetimes of caches', CLAUDE, {
      input: 10,
      cache_read: 40,
      cache_write_5m: 20,
      cache_write_1h: 30,
      output: 66,
    }),
    {
      input_tokens: 10,
      cache_creation_input_tokens: 50,
      cache_read_input_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
      output_tokens: 66,
      service_tier: 'standard',
      inference_geo: 'not_available',
    },
  ),
  messageStream(
    shape('Anthropic', 'the input at the start', CLAUDE, { input: 10, cache_read: 40, cache_write_1h: 30, output: 66 }),
    {
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 30 },
      output_tokens: 1,
      service_tier: 'standard',
    },
    { output_tokens: 66 },
  ),
  messageStream(
    shape('Anthropic', 'cumulative at the end', CLAUDE, { input: 90, cache_read: 40, output: 66 }),
    { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 40, output_tokens: 1 },
    { input_tokens: 90, cache_creation_input_tokens: 0, cache_read_input_tokens: 40, output_tokens: 66 },
  ),
  messageWhole(
    shape('Anthropic', 'a compacted conversation', 'https://platform.claude.com/docs/en/build-with-claude/compaction', {
      input: 230,
      output: 101,
    }),
    {
      input_tokens: 50,
      output_tokens: 66,
      iterations: [
        { type: 'compaction', input_tokens: 180, output_tokens: 35 },
        { type: 'message', input_tokens: 50, output_tokens: 66 },
      ],
    },
  ),
  messageStream(
    shape('Anthropic', 'thinking, of which iterations say nothing', 'BetaMessageIterationUsage of its SDK', {
      input: 30,
      cache_write_1h: 6,
      output: 93,
      reasoning: 28,
    }),
    {
      input_tokens: 30,
      cache_creation_input_tokens: 6,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 6 },
      output_tokens: 1,
    },
    {
      output_tokens: 121,
      output_tokens_details: { thinking_tokens: 28 },
      iterations: [{ type: 'message', input_tokens: 30, cache_creation_input_tokens: 6, output_tokens: 121 }],
    },
  ),
  messageStream(
    shape('DeepSeek', 'messages: at both ends', 'an answer recorded in tests of a public proxy', cached),
    {
      input_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 40,
      output_tokens: 0,
      service_tier: 'standard',
    },
    {
      input_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 40,
      output_tokens: 66,
      service_tier: 'standard',
    },
  ),
  messageStream(
    shape('Moonshot', 'messages: all new at the start, all cached at the end', 'a recorded stream of kimi-k2.6', {
      cache_read: 45,
      output: 66,
    }),
    {
      input_tokens: 45,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
      service_tier: 'standard',
      inference_geo: 'not_available',
      prompt_tokens: 45,
      cached_tokens: 0,
    },
    {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 45,
      output_tokens: 66,
      prompt_tokens: 45,
      completion_tokens: 66,
      total_tokens: 111,
      cached_tokens: 45,
    },
  ),
  messageStream(
    shape('Moonshot', 'messages: cached tokens twice at the start', 'a recorded stream of kimi-k2.7-code', {
      cache_read: 45,
      output: 66,
    }),
    { input_tokens: 45, cache_creation_input_tokens: 0, cache_read_input_tokens: 45, output_tokens: 0 },
    {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 45,
      output_tokens: 66,
      prompt_tokens: 45,
      completion_tokens: 66,
      total_tokens: 111,
      cached_tokens: 45,
    },
  ),
  messageStream(shape('Moonshot', 'messages: without usage at the start', 'reports of clients', meant), undefined, {
    input_tokens: 45,
    output_tokens: 66,
  }),
  messageWhole(shape('Zhipu', 'messages', 'a recorded answer of glm-5.2, without the hit', cached), {
    input_tokens: 5,
    output_tokens: 66,
    cache_read_input_tokens: 40,
    server_tool_use: { web_search_requests: 0 },
    service_tier: 'standard',
  }),
  messageStream(
    shape('Zhipu', 'messages: zeros at the start', 'https://github.com/zai-org/GLM-5/issues/139', cached),
    zero,
    {
      input_tokens: 5,
      output_tokens: 66,
      cache_read_input_tokens: 40,
      server_tool_use: { web_search_requests: 0 },
      service_tier: 'standard',
    },
  ),
  messageStream(
    shape('vLLM', 'messages: zeros at the end', 'vllm/entrypoints/anthropic', meant),
    { input_tokens: 45, output_tokens: 0 },
    { input_tokens: 0, output_tokens: 66 },
  ),
  messageStream(
    shape('llama.cpp', 'messages: cached tokens at the start', 'tools/server/README.md of llama.cpp', cached),
    { cache_read_input_tokens: 40, input_tokens: 5, output_tokens: 0 },
    { output_tokens: 66 },
  ),
  messageStream(
    shape('LM Studio', 'messages: nulls at the start', 'https://lmstudio.ai/docs/developer/anthropic-compat', meant),
    { input_tokens: null, output_tokens: null },
    { input_tokens: 45, output_tokens: 66 },
  ),
  messageWhole(shape('Ollama', 'messages', 'https://docs.ollama.com/api/anthropic-compatibility', meant), {
    input_tokens: 45,
    output_tokens: 66,
  }),
  messageStream(
    {
      ...shape(
        'OpenRouter',
        'messages: cost',
        'https://openrouter.ai/docs/api/api-reference/anthropic-messages',
        meant,
      ),
      upstreamNanos: 500_000n,
    },
    { input_tokens: 45, output_tokens: 0, cost: 0 },
    {
      input_tokens: 45,
      output_tokens: 66,
      cost: 0.0005,
      is_byok: false,
      cost_details: { upstream_inference_cost: 0.0005 },
    },
  ),
];

/** Responses. */
const RESPONSE_SHAPES: readonly UsageShape[] = [
  responseWhole(
    shape('OpenAI', 'responses: details', 'https://platform.openai.com/docs/api-reference/responses/object', {
      ...cached,
      output: 26,
      reasoning: 40,
    }),
    { ...counts, input_tokens_details: { cached_tokens: 40 }, output_tokens_details: { reasoning_tokens: 40 } },
  ),
  responseStream(
    shape(
      'OpenAI',
      'responses: at the end',
      'https://platform.openai.com/docs/api-reference/responses-streaming',
      meant,
    ),
    { ...counts, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  ),
  responseWhole(
    {
      ...shape('xAI', 'responses: ticks and tools', 'fixtures of vercel/ai', {
        input: 80,
        cache_read: 20,
        output: 20,
        reasoning: 30,
      }),
      upstreamNanos: 12_346n,
    },
    {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 20 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 30 },
      total_tokens: 150,
      num_sources_used: 0,
      num_server_side_tools_used: 1,
      cost_in_usd_ticks: 123_456,
    },
  ),
  responseStream(
    {
      ...shape('xAI', 'responses: two searches', 'a recording in a public project', {
        input: 6_000,
        cache_read: 3_000,
        output: 800,
        reasoning: 200,
        search: 2,
      }),
      upstreamNanos: 29_000_000n,
    },
    {
      input_tokens: 9_000,
      input_tokens_details: { cached_tokens: 3_000 },
      output_tokens: 1_000,
      output_tokens_details: { reasoning_tokens: 200 },
      total_tokens: 10_000,
      num_sources_used: 0,
      num_server_side_tools_used: 2,
      cost_in_usd_ticks: 290_000_000,
      server_side_tool_usage_details: {
        web_search_calls: 2,
        x_search_calls: 0,
        code_interpreter_calls: 0,
        file_search_calls: 0,
        mcp_calls: 0,
        document_search_calls: 0,
        image_generation_calls: 0,
      },
      context_details: { input_tokens: 8_000, output_tokens: 900 },
    },
  ),
  responseStream(
    shape('xAI', 'responses: a stream', 'fixtures of vercel/ai', {
      input: 24,
      cache_read: 192,
      output: 26,
      reasoning: 37,
    }),
    {
      input_tokens: 216,
      input_tokens_details: { cached_tokens: 192 },
      output_tokens: 63,
      output_tokens_details: { reasoning_tokens: 37 },
      total_tokens: 279,
    },
  ),
  responseWhole(
    {
      ...shape('Perplexity', 'responses: a search and its cost', 'fixtures of vercel/ai', {
        input: 3,
        cache_read: 1_780,
        cache_write_5m: 1_224,
        output: 36,
        search: 1,
      }),
      upstreamNanos: 1_190_000n,
    },
    {
      cost: {
        cache_creation_cost: 0.00015,
        cache_read_cost: 0.00002,
        currency: 'USD',
        input_cost: 0,
        output_cost: 0.00002,
        tool_calls_cost: 0.001,
        tool_calls_cost_details: { search_web: 0.001 },
        total_cost: 0.00119,
      },
      input_tokens: 3_007,
      input_tokens_details: {
        cache_creation_input_tokens: 1_224,
        cache_read_input_tokens: 1_780,
        cached_tokens: 1_780,
      },
      output_tokens: 36,
      output_tokens_details: { reasoning_tokens: 0 },
      tool_calls_details: { search_web: { cost_usd: 0.001, invocation: 1 } },
      total_tokens: 3_043,
    },
  ),
  responseStream(
    {
      ...shape('Perplexity', 'responses: details by other names', 'types of perplexityai/perplexity-py', {
        ...cached,
        search: 2,
      }),
      upstreamNanos: 6_200_000n,
    },
    {
      ...counts,
      input_tokens_details: { cache_creation_input_tokens: 0, cache_read_input_tokens: 40 },
      tool_calls_details: { web_search: { invocation: 2 }, fetch_url: { invocation: 1 } },
      cost: { currency: 'USD', input_cost: 0.0005, output_cost: 0.0007, tool_calls_cost: 0.005, total_cost: 0.0062 },
    },
  ),
  responseStream(shape('Groq', 'responses: null details', 'https://console.groq.com/docs/responses-api', meant), {
    ...counts,
    input_tokens_details: null,
    output_tokens_details: null,
  }),
  responseWhole(
    {
      ...shape('OpenRouter', 'responses: cost', 'https://openrouter.ai/docs/api/reference/responses/overview', meant),
      upstreamNanos: 140_000n,
    },
    { ...counts, cost: 0.00014, is_byok: false, cost_details: { upstream_inference_cost: null } },
  ),
  responseStream(
    shape('vLLM', 'responses: bare events', 'vllm/entrypoints/openai/responses', cached),
    { ...counts, input_tokens_details: { cached_tokens: 40, input_tokens_per_turn: [45] } },
    true,
  ),
  responseStream(shape('LM Studio', 'responses', 'fixtures of vercel/ai', { input: 1, cache_read: 30, output: 82 }), {
    input_tokens: 31,
    output_tokens: 82,
    total_tokens: 113,
    input_tokens_details: { cached_tokens: 30 },
    output_tokens_details: { reasoning_tokens: 0 },
  }),
  responseStream(shape('Ollama', 'responses', 'https://docs.ollama.com/api/openai-compatibility', meant), counts, true),
  responseStream(
    shape('llama.cpp', 'responses: without details', 'tools/server/README.md of llama.cpp', meant),
    { input_tokens: 45, output_tokens: 66 },
    true,
  ),
];

/** Google's own. */
const GEMINI_SHAPES: readonly UsageShape[] = [
  geminiWhole(
    shape('Gemini API', 'thoughts and cached content', 'https://ai.google.dev/api/generate-content#UsageMetadata', {
      ...cached,
      reasoning: 30,
    }),
    {
      promptTokenCount: 45,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 66,
      thoughtsTokenCount: 30,
      totalTokenCount: 141,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 45 }],
    },
  ),
  geminiStream(
    shape('Gemini API', 'at each chunk', 'https://ai.google.dev/api/generate-content', { ...meant, reasoning: 30 }),
    { promptTokenCount: 45, totalTokenCount: 75, thoughtsTokenCount: 30 },
    { promptTokenCount: 45, candidatesTokenCount: 66, totalTokenCount: 141, thoughtsTokenCount: 30 },
  ),
  geminiWhole(
    shape('Gemini API', 'the prompt of tools', 'https://ai.google.dev/gemini-api/docs/url-context', {
      input: 145,
      output: 66,
    }),
    { promptTokenCount: 45, toolUsePromptTokenCount: 100, candidatesTokenCount: 66, totalTokenCount: 211 },
  ),
  geminiWhole(shape('Gemini API', 'no count of candidates', 'https://ai.google.dev/api/generate-content', meant), {
    promptTokenCount: 45,
    totalTokenCount: 111,
  }),
  geminiStream(
    shape(
      'Gemini API',
      'traffic type first, as Vertex sends it',
      'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
      meant,
    ),
    { trafficType: 'ON_DEMAND' },
    { promptTokenCount: 45, candidatesTokenCount: 66, totalTokenCount: 111, trafficType: 'ON_DEMAND' },
  ),
];

export const NATIVE_SHAPES: readonly UsageShape[] = [...MESSAGE_SHAPES, ...RESPONSE_SHAPES, ...GEMINI_SHAPES];
