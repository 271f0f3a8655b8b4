import type { Finish, FinishReason } from '../../canonical/response.ts';

/** What a response held, as far as it matters for why it ended. */
export interface Contained {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/**
 * Why a choice ended. OpenAI says `stop` after a call of the one function that was forced, and after a refusal; some
 * others say it after any call.
 */
export function decodeFinish(raw: string, held: Contained): Finish {
  const reason = reasonOf(raw);
  if (reason === 'stop' || raw === '') {
    if (held.calls) return { reason: 'tool-calls', raw };
    if (held.refusal) return { reason: 'refusal', raw };
  }
  return { reason, raw };
}

function reasonOf(raw: string): FinishReason {
  switch (raw) {
    case 'stop':
    case 'eos':
    case 'end_turn':
      return 'stop';
    case 'length':
    case 'max_tokens':
      return 'length';
    case 'model_length':
      return 'context';
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls';
    case 'content_filter':
      return 'content-filter';
    default:
      return 'other';
  }
}

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** The word for it. A refusal whose words the response has ends like any other answer, as at OpenAI. */
export function encodeFinishReason({ reason }: Finish, held: Pick<Contained, 'refusal'>): ChatFinishReason {
  switch (reason) {
    case 'stop':
    case 'pause':
    case 'malformed-call':
    case 'other':
      return 'stop';
    case 'length':
    case 'context':
      return 'length';
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'content_filter';
    case 'refusal':
      return held.refusal ? 'stop' : 'content_filter';
    default:
      return reason satisfies never;
  }
}
