import type { RequestSpec } from './messages.ts';

/** About the size of a short conversation with a system prompt. */
const PROMPT_BYTES = 1_000;
const SENTENCE = 'The quick brown fox jumps over the lazy dog while the band plays on. ';

/** URL of a request. */
export function pathOf(spec: RequestSpec): string {
  return spec.protocol === 'openai-chat' ? '/v1/chat/completions' : '/v1/messages';
}

/** The body of a request for the given response of the simulated provider. */
export function bodyOf(spec: RequestSpec): Buffer {
  const prompt = SENTENCE.repeat(Math.ceil(PROMPT_BYTES / SENTENCE.length)).slice(0, PROMPT_BYTES);
  return spec.protocol === 'openai-chat' ? chatBody(spec, prompt) : messagesBody(spec, prompt);
}

function chatBody(spec: RequestSpec, prompt: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      model: 'simulated-small',
      messages: [
        { role: 'system', content: 'Answer briefly.' },
        { role: 'user', content: prompt },
      ],
      temperature: 0.7,
      max_completion_tokens: spec.outputTokens,
      ...(spec.streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
      simulate: controls(spec),
    }),
  );
}

/** Translation drops the simulator's own field, so the prompt carries the instructions. */
function messagesBody(spec: RequestSpec, prompt: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      model: 'simulated-small',
      system: 'Answer briefly.',
      messages: [{ role: 'user', content: `${prompt} [simulate ${JSON.stringify(controls(spec))}]` }],
      temperature: 0.7,
      max_tokens: spec.outputTokens,
      stream: spec.streamed,
    }),
  );
}

function controls(spec: RequestSpec): object {
  return {
    output_tokens: spec.outputTokens,
    ...(spec.tokenDelayMs > 0 ? { token_delay_ms: spec.tokenDelayMs } : {}),
  };
}

/** Headers of a request with a key, in undici's flat form, which it does not copy. */
export function headersOf(key: string): string[] {
  return ['content-type', 'application/json', 'accept', '*/*', 'authorization', `Bearer ${key}`];
}
