import type { Finish } from '../model/plan.ts';

/** Anthropic's name for the end of a message. */
export function stopReason(finish: Finish): string {
  switch (finish) {
    case 'stop':
    case 'malformed_call':
    case 'failed':
    case 'other':
      return 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
    case 'refusal':
    case 'recitation':
      return 'refusal';
    case 'stop_sequence':
      return 'stop_sequence';
    case 'pause':
      return 'pause_turn';
    case 'context':
      return 'model_context_window_exceeded';
    default:
      return finish satisfies never;
  }
}

/** The fields that report how a message ended. */
export function stopFields(finish: Finish, sequence: string | undefined) {
  const reason = stopReason(finish);
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (sequence ?? null) : null,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}
