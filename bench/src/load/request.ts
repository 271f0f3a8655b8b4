import type { Ask } from './messages.ts';

/** About as much as a short conversation with its system prompt. */
const PROMPT_BYTES = 1_000;
const SENTENCE = 'The quick brown fox jumps over the lazy dog while the band plays on. ';

/** Where a request goes. */
export function pathOf(ask: Ask): string {
  return ask.protocol === 'openai-chat' ? '/v1/chat/completions' : '/v1/messages';
}

/** The body of a request that makes the simulated provider answer as asked. */
export function bodyOf(ask: Ask): Buffer {
  const prompt = SENTENCE.repeat(Math.ceil(PROMPT_BYTES / SENTENCE.length)).slice(0, PROMPT_BYTES);
  return ask.protocol === 'openai-chat' ? chatBody(ask, prompt) : messagesBody(ask, prompt);
}

function chatBody(ask: Ask, prompt: string): Buffer {
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
      simulate: controls(ask),
    }),
  );
}

/** Our own fields are lost in translation, so the prompt carries the instructions for the upstream. */
function messagesBody(ask: Ask, prompt: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      model: 'simulated-small',
      system: 'Answer briefly.',
      messages: [{ role: 'user', content: `${prompt} [simulate ${JSON.stringify(controls(ask))}]` }],
      temperature: 0.7,
      max_tokens: ask.outputTokens,
      stream: ask.streamed,
    }),
  );
}

function controls(ask: Ask): object {
  return {
    output_tokens: ask.outputTokens,
    ...(ask.tokenDelayMs > 0 ? { token_delay_ms: ask.tokenDelayMs } : {}),
  };
}

/** Headers of a request with a key, in the flat form that undici takes without copying. */
export function headersOf(key: string): string[] {
  return ['content-type', 'application/json', 'accept', '*/*', 'authorization', `Bearer ${key}`];
}
