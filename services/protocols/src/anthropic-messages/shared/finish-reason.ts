import type { OutputPart } from '../../canonical/part.ts';
import type { Finish, FinishReason } from '../../canonical/response.ts';

/** The `stop_reason` values of the SDK's `StopReason` and its beta. */
const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'context',
  tool_use: 'tool-calls',
  refusal: 'refusal',
  pause_turn: 'pause',
  compaction: 'pause',
};

/** How a response ended, from its `stop_reason` and `stop_sequence`. */
export function decodeFinish(stopReason: unknown, stopSequence: unknown): Finish {
  const raw = typeof stopReason === 'string' ? stopReason : '';
  const reason = Object.hasOwn(REASONS, raw) ? (REASONS[raw] ?? 'other') : 'other';
  return typeof stopSequence === 'string' ? { reason, raw, stopSequence } : { reason, raw };
}

/** The members of a response that state how it ended. */
export interface StopFields {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: { readonly type: 'refusal'; readonly category: null; readonly explanation: null } | null;
}

/** The parts of a response that affect how its end is reported. */
export interface EndingParts {
  readonly hasCalls: boolean;
  readonly hasRefusal: boolean;
}

export function endingOf(parts: readonly OutputPart[]): EndingParts {
  return {
    hasCalls: parts.some((part) => part.type === 'tool-call'),
    hasRefusal: parts.some((part) => part.type === 'refusal'),
  };
}

/**
 * Encodes how a response ended. With tool calls it is `tool_use`, even if the upstream reports `stop`, since clients
 * of this protocol rely on that; with a refusal part it is `refusal`.
 */
export function encodeFinish(finish: Finish, ending: EndingParts): StopFields {
  const reason = stopReasonOf(finish, ending);
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (finish.stopSequence ?? null) : null,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

function stopReasonOf({ reason, stopSequence }: Finish, { hasCalls, hasRefusal }: EndingParts): string {
  switch (reason) {
    case 'stop':
      if (hasCalls) return 'tool_use';
      if (hasRefusal) return 'refusal';
      return stopSequence === undefined ? 'end_turn' : 'stop_sequence';
    case 'length':
      return 'max_tokens';
    case 'context':
      return 'model_context_window_exceeded';
    case 'tool-calls':
      return 'tool_use';
    case 'content-filter':
    case 'refusal':
      return 'refusal';
    case 'pause':
      return 'pause_turn';
    case 'malformed-call':
    case 'other':
      return 'end_turn';
    default:
      return reason satisfies never;
  }
}
