import type { Finish } from '../model/plan.ts';

/** The finish reason of a chat completion. */
export function finishReason(finish: Finish): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  switch (finish) {
    case 'stop':
    case 'stop_sequence':
    case 'refusal':
    case 'pause':
    case 'malformed_call':
    case 'failed':
    case 'other':
      return 'stop';
    case 'length':
    case 'context':
      return 'length';
    case 'tool_calls':
      return 'tool_calls';
    case 'content_filter':
    case 'recitation':
      return 'content_filter';
    default:
      return finish satisfies never;
  }
}
