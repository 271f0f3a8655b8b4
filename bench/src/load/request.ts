import type { RequestSpec, Route } from './messages.ts';

const SENTENCE = 'The quick brown fox jumps over the lazy dog while the band plays on. ';
const INSTRUCTIONS = 'Answer briefly.';
const TEMPERATURE = 0.7;

/** URL of a request, with its query. */
export function pathOf({ client, model, streamed }: RequestSpec): string {
  switch (client) {
    case 'openai-chat':
      return '/v1/chat/completions';
    case 'openai-responses':
      return '/v1/responses';
    case 'anthropic-messages':
      return '/v1/messages';
    case 'gemini':
      return `/v1beta/models/${model}:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
    default:
      return client satisfies never;
  }
}

/** The body of a request for the given response of the simulated provider. */
export function bodyOf(spec: RequestSpec): Buffer {
  return Buffer.from(JSON.stringify(contentOf(spec, promptOf(spec))));
}

/** A prompt of the given size. It carries the simulated provider's controls, whatever the protocol of the upstream. */
function promptOf({ promptBytes, outputTokens, tokenDelayMs }: RequestSpec): string {
  const delay = tokenDelayMs > 0 ? { token_delay_ms: tokenDelayMs } : {};
  const controls = ` [simulate ${JSON.stringify({ output_tokens: outputTokens, ...delay })}]`;
  const bytes = Math.max(0, promptBytes - controls.length);
  return SENTENCE.repeat(Math.ceil(bytes / SENTENCE.length)).slice(0, bytes) + controls;
}

function contentOf({ client, model, streamed, outputTokens }: RequestSpec, prompt: string): object {
  const messages = [{ role: 'user', content: prompt }];
  switch (client) {
    case 'openai-chat':
      return {
        model,
        messages: [{ role: 'system', content: INSTRUCTIONS }, ...messages],
        temperature: TEMPERATURE,
        max_completion_tokens: outputTokens,
        ...(streamed && { stream: true, stream_options: { include_usage: true } }),
      };
    case 'openai-responses':
      return {
        model,
        instructions: INSTRUCTIONS,
        input: messages,
        temperature: TEMPERATURE,
        max_output_tokens: outputTokens,
        store: false,
        stream: streamed,
      };
    case 'anthropic-messages':
      return {
        model,
        system: INSTRUCTIONS,
        messages,
        temperature: TEMPERATURE,
        max_tokens: outputTokens,
        stream: streamed,
      };
    case 'gemini':
      return {
        systemInstruction: { parts: [{ text: INSTRUCTIONS }] },
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: { temperature: TEMPERATURE, maxOutputTokens: outputTokens },
      };
    default:
      return client satisfies never;
  }
}

/** What only the last events of a complete stream contain. */
export function endMarkerOf({ client }: RequestSpec): string {
  switch (client) {
    case 'openai-chat':
      return '[DONE]';
    case 'openai-responses':
      return '"type":"response.completed"';
    case 'anthropic-messages':
      return '"type":"message_stop"';
    case 'gemini':
      return '"finishReason":"';
    default:
      return client satisfies never;
  }
}

/** Headers of a request with one of a route's keys, in undici's flat form, which it does not copy. */
export function headersOf({ client }: RequestSpec, { headers = [] }: Route, key: string): string[] {
  const common = ['content-type', 'application/json', 'accept', '*/*', 'authorization', `Bearer ${key}`, ...headers];
  return client === 'anthropic-messages' ? [...common, 'anthropic-version', '2023-06-01'] : common;
}
