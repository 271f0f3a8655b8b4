import type { PlaygroundEvent } from './events.ts';

export interface ToolCall {
  name: string;
  arguments: string;
}

/** A response as far as it has arrived. */
export interface Answer {
  state: 'waiting' | 'streaming' | 'done' | 'failed' | 'stopped';
  text: string;
  reasoning: string;
  toolCalls: readonly ToolCall[];
  requestId: string | null;
  traceId: string | null;
  /** Milliseconds until the first piece, as measured here until the gateway reports it. */
  firstTokenMs: number | null;
  durationMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: string | null;
  finishReason: string | null;
  error: { message: string; type: string } | null;
}

export const WAITING: Answer = {
  state: 'waiting',
  text: '',
  reasoning: '',
  toolCalls: [],
  requestId: null,
  traceId: null,
  firstTokenMs: null,
  durationMs: null,
  inputTokens: null,
  outputTokens: null,
  cost: null,
  finishReason: null,
  error: null,
};

/** The answer after an event that came `elapsedMs` after the call. */
export function withEvent(answer: Answer, event: PlaygroundEvent, elapsedMs: number): Answer {
  switch (event.type) {
    case 'started':
      return { ...answer, requestId: event.request_id, traceId: event.trace_id };
    case 'delta':
      return { ...arrived(answer, elapsedMs), text: answer.text + event.text };
    case 'reasoning':
      return { ...arrived(answer, elapsedMs), reasoning: answer.reasoning + event.text };
    case 'tool_call':
      return { ...arrived(answer, elapsedMs), toolCalls: withToolCall(answer.toolCalls, event) };
    case 'done':
      return {
        ...answer,
        state: 'done',
        finishReason: event.finish_reason,
        inputTokens: event.input_tokens,
        outputTokens: event.output_tokens,
        cost: event.cost,
        firstTokenMs: event.first_token_ms ?? answer.firstTokenMs,
        durationMs: event.duration_ms,
      };
    case 'error':
      return {
        ...answer,
        state: 'failed',
        traceId: event.trace_id ?? answer.traceId,
        error: { message: event.message, type: event.error_type },
      };
    default:
      return event satisfies never;
  }
}

function arrived(answer: Answer, elapsedMs: number): Answer {
  return { ...answer, state: 'streaming', firstTokenMs: answer.firstTokenMs ?? Math.round(elapsedMs) };
}

function withToolCall(calls: readonly ToolCall[], event: Extract<PlaygroundEvent, { type: 'tool_call' }>): ToolCall[] {
  const next = [...calls];
  while (next.length <= event.index) next.push({ name: '', arguments: '' });
  const before = next[event.index] ?? { name: '', arguments: '' };
  next[event.index] = { name: event.name ?? before.name, arguments: before.arguments + event.arguments };
  return next;
}
