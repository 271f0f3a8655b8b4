import type { Finish } from '../model/plan.ts';

/** Google's name for the end of a candidate. */
export function finishReason(finish: Finish): string {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
    case 'stop_sequence':
    case 'pause':
      return 'STOP';
    case 'length':
    case 'context':
      return 'MAX_TOKENS';
    case 'content_filter':
    case 'refusal':
      return 'SAFETY';
    case 'malformed_call':
      return 'MALFORMED_FUNCTION_CALL';
    case 'recitation':
      return 'RECITATION';
    case 'failed':
    case 'other':
      return 'OTHER';
    default:
      return finish satisfies never;
  }
}
