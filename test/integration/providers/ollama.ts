import { chatScenes } from './chat.ts';
import { messagesError, messagesScenes, notMessages } from './messages.ts';
import {
  CALL,
  errorOf,
  invalid,
  NO_MODEL,
  OUR_FAULT,
  type RecordedProvider,
  THOUGHT,
  unsupportedIn,
} from './recorded.ts';

/*
 * Recorded whole answers in cassettes of pydantic-ai (`test_ollama`): text, calls, reasoning, usage. Not checked:
 * errors of Ollama's cloud, and how streams of versions before that snapshot differ. Streams and errors are as in
 * ollama/ollama of 2026-08-21. Reasoning is `reasoning`, usage has no details, calls come whole, and only the first
 * delta of a stream has a role. A prompt that is too long is cut off, not refused.
 */

const ID = { id: 'chatcmpl-887', created: 1_776_298_282, model: 'gpt-oss:20b', system_fingerprint: 'fp_ollama' };
const call = {
  id: 'call_o2vnpxrw',
  index: 0,
  type: 'function',
  function: { name: CALL.name, arguments: '{"city":"Ulm"}' },
};
const usage = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

const scenes = chatScenes({
  whole: { ...ID, object: 'chat.completion' },
  chunk: { ...ID, object: 'chat.completion.chunk' },
  message: { content: '' },
  opening: { role: 'assistant', content: '' },
  closing: {},
  usageAt: 'own chunk',
  thought: (reasoning) => ({ content: '', reasoning }),
  calls: { whole: [call], stream: [{ content: '', tool_calls: [call] }] },
  counts: {
    text: [usage(136, 15), { input: 136, output: 15 }],
    tools: [usage(150, 20), { input: 150, output: 20 }],
    reasoning: [usage(155, 60), { input: 155, output: 60 }],
    after: [usage(200, 6), { input: 200, output: 6 }],
  },
  returned: { returned: { reasoning: THOUGHT }, notReturned: ['reasoning_content', 'reasoning_details'] },
});

const error = (message: string, type: string, code: string | null = null) => ({
  error: { message, type, param: null, code },
});

/** A stream of messages begins with an estimate of the input, which the end replaces. Empty fields are left out. */
const inMessages = (input: number, output: number) => ({
  whole: { input_tokens: input, output_tokens: output },
  start: { input_tokens: input + 7, output_tokens: 0 },
  end: { input_tokens: input, output_tokens: output },
  meant: { input, output },
});

const messages = messagesScenes({
  head: { id: 'msg_0a1b2c3d4e5f6a7b8c9d0e1f', model: ID.model },
  callId: call.id,
  thinks: true,
  lacks: { start: ['stop_reason', 'stop_sequence'], end: ['stop_sequence'] },
  counts: {
    text: inMessages(136, 15),
    tools: inMessages(150, 20),
    reasoning: inMessages(155, 60),
    after: inMessages(200, 6),
  },
});

export const ollama: RecordedProvider = {
  id: 'ollama',
  name: 'Ollama',
  model: 'ollama/your-model',
  endpoints: [
    {
      entry: 'ollama',
      // Unknown fields are ignored, so that this limit would not hold.
      rejects: (request) => unsupportedIn(request, ['max_completion_tokens']),
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error(
            'json: cannot unmarshal string into Go struct field ChatCompletionRequest.temperature of type float64',
            'invalid_request_error',
          ),
        ),
        errorOf('unknown model', 404, NO_MODEL, error("model 'gpt-oss:1b' not found", 'not_found_error')),
        errorOf('internal', 500, OUR_FAULT, error('llama-server process has terminated: signal: killed', 'api_error')),
        errorOf(
          'busy',
          503,
          OUR_FAULT,
          error('server busy, please try again.  maximum pending requests exceeded', 'api_error'),
        ),
      ],
    },
    {
      entry: 'ollama-messages',
      row: 'Ollama, messages',
      rejects: notMessages,
      scenes: messages,
      errors: [
        errorOf('unknown model', 404, NO_MODEL, messagesError('not_found_error', "model 'gpt-oss:1b' not found")),
        errorOf(
          'internal',
          500,
          OUR_FAULT,
          messagesError('api_error', 'llama-server process has terminated: signal: killed'),
        ),
        errorOf(
          'busy',
          503,
          OUR_FAULT,
          messagesError('overloaded_error', 'server busy, please try again.  maximum pending requests exceeded'),
        ),
      ],
    },
  ],
};
