import { chatScenes } from './chat.ts';
import { messagesScenes, notMessages } from './messages.ts';
import { ARGUMENTS, CALL, errorOf, invalid, NO_MODEL, OUR_FAULT, type RecordedProvider, TOO_LONG } from './recorded.ts';

/*
 * Not checked, since LM Studio's source is closed: all other errors, the empty list of calls, the details of usage,
 * what it takes back as reasoning, and how `/v1/messages` counts usage and treats thinking. The test has its events as
 * Anthropic's. Shapes are not recorded but as documented in lmstudio-ai/docs of 2026-04-29. Ids of calls are nine
 * digits and a stream has usage only where it is asked for, as documented; a prompt that is too long has two wordings.
 */

const ID = {
  id: 'chatcmpl-0a1b2c3d4e5f6a7b8c9d0e',
  created: 1_781_000_000,
  model: 'openai/gpt-oss-20b',
  system_fingerprint: 'openai/gpt-oss-20b',
};
const call = { id: '365174485', type: 'function', function: { name: CALL.name, arguments: ARGUMENTS } };
const usage = (prompt: number, completion: number, reasoning = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  completion_tokens_details: { reasoning_tokens: reasoning },
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion', stats: {} },
  chunk: { ...ID, object: 'chat.completion.chunk' },
  choice: { logprobs: null },
  message: { content: '', tool_calls: [] },
  opening: { role: 'assistant' },
  closing: {},
  usageAt: 'own chunk',
  thought: (reasoning) => ({ reasoning }),
  calls: {
    whole: [call],
    stream: [
      { tool_calls: [{ ...call, index: 0, function: { name: CALL.name, arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ARGUMENTS } }] },
    ],
  },
  counts: {
    text: [usage(90, 9), { input: 90, output: 9 }],
    tools: [usage(120, 20), { input: 120, output: 20 }],
    reasoning: [usage(130, 60, 40), { input: 130, output: 20, reasoning: 40 }],
    after: [usage(170, 6), { input: 170, output: 6 }],
  },
});

/** Messages are as in the protocol: LM Studio documents its events and says no more. */
const inMessages = (input: number, output: number) => ({
  whole: { input_tokens: input, output_tokens: output },
  start: { input_tokens: input, output_tokens: 0 },
  end: { output_tokens: output },
  meant: { input, output },
});

const messages = messagesScenes({
  head: { id: 'msg_0a1b2c3d4e5f6a7b8c9d0e1f', model: ID.model },
  callId: call.id,
  thinks: false,
  counts: { text: inMessages(90, 9), tools: inMessages(120, 20), after: inMessages(170, 6) },
});

export const lmStudio: RecordedProvider = {
  id: 'lm-studio',
  name: 'LM Studio',
  model: 'lm-studio/your-model',
  endpoints: [
    {
      entry: 'lm-studio',
      scenes,
      errors: [
        errorOf('bad parameter', 400, invalid('temperature'), { error: "'temperature' must be a number" }),
        errorOf('unknown model', 404, NO_MODEL, {
          error: {
            message: 'Failed to load model "gpt-oss-0b". Error: Model not found',
            type: 'invalid_request_error',
            param: 'model',
            code: 'model_not_found',
          },
        }),
        errorOf('internal', 500, OUR_FAULT, {
          error: 'The model has crashed without additional information. (Exit code: 137)',
        }),
        errorOf('prompt too long', 400, TOO_LONG, {
          error:
            'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
        }),
        errorOf('beginning too long', 400, TOO_LONG, {
          error:
            'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.',
        }),
      ],
    },
    {
      entry: 'lm-studio-messages',
      row: 'LM Studio, messages',
      rejects: notMessages,
      scenes: messages,
      errors: [
        errorOf('internal', 500, OUR_FAULT, {
          error: 'The model has crashed without additional information. (Exit code: 137)',
        }),
      ],
    },
  ],
};
