import type { Ask } from './messages.ts';

/** About as much as a short conversation with its system prompt. */
const PROMPT_BYTES = 1_000;
const SENTENCE = 'The quick brown fox jumps over the lazy dog while the band plays on. ';

/** The body of a chat request that makes the simulated provider answer as asked. */
export function chatBody(ask: Ask): Buffer {
  const prompt = SENTENCE.repeat(Math.ceil(PROMPT_BYTES / SENTENCE.length)).slice(0, PROMPT_BYTES);
  return Buffer.from(
    JSON.stringify({
      model: 'simulated-small',
      messages: [
        { role: 'system', content: 'Answer briefly.' },
        { role: 'user', content: prompt },
      ],
      temperature: 0.7,
      max_completion_tokens: ask.outputTokens,
      ...(ask.streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
      simulate: {
        output_tokens: ask.outputTokens,
        ...(ask.tokenDelayMs > 0 ? { token_delay_ms: ask.tokenDelayMs } : {}),
      },
    }),
  );
}

/** Headers of a request with a key, in the flat form that undici takes without copying. */
export function chatHeaders(key: string): string[] {
  return ['content-type', 'application/json', 'accept', '*/*', 'authorization', `Bearer ${key}`];
}
