import type { Content, Truth } from './content.ts';
import { event, type StreamEvent } from './events.ts';

const FINISH = { stop: 'stop', length: 'length', tool: 'tool_calls' } as const;
const CREATED = 1_700_000_000;

export function chatUsage(truth: Truth): object {
  const prompt = truth.input + truth.cacheRead + truth.cacheWrite;
  const completion = truth.output + truth.reasoning;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: truth.cacheRead, cache_write_tokens: truth.cacheWrite },
    completion_tokens_details: { reasoning_tokens: truth.reasoning },
  };
}

export function chatWhole({ model, pieces, reasoning, tool, finish }: Content, usage: unknown): object {
  const call = { id: 'call_1', type: 'function', function: { name: tool?.name, arguments: tool?.args } };
  const message = {
    role: 'assistant',
    content: pieces.join(''),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(tool === undefined ? {} : { tool_calls: [call] }),
    refusal: null,
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: FINISH[finish] }];
  return { id: 'chatcmpl-1', object: 'chat.completion', created: CREATED, model, choices, usage };
}

export function chatStream({ model, pieces, reasoning, tool, finish }: Content, usage: unknown): StreamEvent[] {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: CREATED, model };
  const chunk = (delta: object, reason: string | null = null) =>
    event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }], usage: null });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: tool?.name, arguments: tool?.args } };
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(reasoning === '' ? [] : [chunk({ reasoning_content: reasoning })]),
    ...pieces.map((content) => chunk({ content })),
    ...(tool === undefined ? [] : [chunk({ tool_calls: [call] })]),
    chunk({}, FINISH[finish]),
    event({ ...head, choices: [], usage }),
    { name: '', data: undefined, text: '[DONE]' },
  ];
}
