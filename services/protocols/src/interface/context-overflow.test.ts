import { describe, expect, it } from 'vitest';
import { readContextOverflow } from './context-overflow.ts';

const error = (message: string, code = '', type = '') => ({ message, code, type, param: '' });

describe('reads how far a prompt exceeds the context window from the words of', () => {
  it.each([
    ['Anthropic', 'prompt is too long: 205432 tokens > 200000 maximum', 205_432, 200_000],
    [
      'Gemini',
      'The input token count (1200001) exceeds the maximum number of tokens allowed (1048576).',
      1_200_001,
      1_048_576,
    ],
    [
      'Gemini, without brackets',
      'The input token count 1200001 exceeds the maximum number of tokens allowed 1048576.',
      1_200_001,
      1_048_576,
    ],
    [
      'OpenAI',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
      204_308,
      128_000,
    ],
    [
      'OpenAI, GPT-5',
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 477469 tokens. Please reduce the length of the messages.',
      477_469,
      272_000,
    ],
    [
      'OpenAI, embeddings',
      "This model's maximum context length is 8192 tokens, however you requested 8977 tokens (8977 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
      8_977,
      8_192,
    ],
    [
      'vLLM',
      "This model's maximum context length is 40960 tokens. However, your request has 50012 input tokens. Please reduce the length of the input messages.",
      50_012,
      40_960,
    ],
    [
      'OpenRouter',
      'This endpoint\'s maximum context length is 32768 tokens. However, you requested about 42832 tokens (42832 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
      42_832,
      32_768,
    ],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
    [
      'llama.cpp',
      'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it',
      9_001,
      8_192,
    ],
    [
      'Mistral',
      'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
      140_000,
      131_072,
    ],
    ['SGLang', "The input (5000 tokens) is longer than the model's context length (4096 tokens).", 5_000, 4_096],
    [
      'Moonshot',
      'Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)',
      150_000,
      131_072,
    ],
    ['Fireworks', 'The prompt is too long: 140000, model maximum context length: 131071', 140_000, 131_071],
  ])('%s', (_, message, promptTokens, contextTokens) => {
    expect(readContextOverflow(error(message))).toEqual({ promptTokens, contextTokens, outputTokens: undefined });
  });
});

describe('reads that only the output limit is too large from the words of', () => {
  it.each([
    [
      'Anthropic',
      'input length and `max_tokens` exceed context limit: 143653 + 64000 > 200000, decrease input length or `max_tokens` and try again',
      143_653,
      64_000,
      200_000,
    ],
    [
      'vLLM',
      "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt contains at least 62466 input tokens, for a total of at least 128001 tokens.",
      62_466,
      65_535,
      128_000,
    ],
    [
      'vLLM 0.10',
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 40960 tokens and your request has 12000 input tokens (32000 > 40960 - 12000).",
      12_000,
      32_000,
      40_960,
    ],
    [
      'vLLM 0.6, DeepSeek',
      "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens (3120 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      3_120,
      1_000,
      4_097,
    ],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one.",
      7_884,
      131_072,
      131_072,
    ],
    [
      'Together',
      '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 512 `max_new_tokens`',
      8_000,
      512,
      8_193,
    ],
  ])('%s', (_, message, promptTokens, outputTokens, contextTokens) => {
    expect(readContextOverflow(error(message))).toEqual({ promptTokens, outputTokens, contextTokens });
  });
});

it.each([
  ['OpenAI, responses', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['Bedrock', 'Input is too long for requested model.'],
  ['MiniMax', 'invalid params, context window exceeds limit'],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.'],
])('recognizes the words of %s, which have no figures', (_, message) => {
  expect(readContextOverflow(error(message))).toEqual(NO_FIGURES);
});

const NO_FIGURES = { promptTokens: undefined, contextTokens: undefined, outputTokens: undefined };

it('recognizes the codes of OpenAI and llama.cpp, whatever the words', () => {
  expect(readContextOverflow(error('Too much.', 'context_length_exceeded'))).toEqual(NO_FIGURES);
  expect(readContextOverflow(error('Too much.', '400', 'exceed_context_size_error'))).toEqual(NO_FIGURES);
});

it.each([
  ['<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]', 30_720],
  ['However, the model is loaded with context length of only 4096 tokens, which is not enough.', 4_096],
])('knows the window where only that is given: %s', (message, contextTokens) => {
  expect(readContextOverflow(error(message))).toEqual({ ...NO_FIGURES, contextTokens });
});

it.each([
  'max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens for this model',
  "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.",
  'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5300000 bytes > 5242880 bytes',
  'Your credit balance is too low to access the Anthropic API.',
  '',
])('does not mistake other rejections for one: %s', (message) => {
  expect(readContextOverflow(error(message))).toBeUndefined();
});
