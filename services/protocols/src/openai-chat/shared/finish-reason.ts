import type { Finish, FinishReason } from '../../canonical/response.ts';

/** The contents of a response that affect how its end is reported. */
export interface Contents {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/**
 * Decodes why a choice ended. OpenAI reports `stop` after a call of a forced function and after a refusal; some
 * other providers report it after any call.
 */
export function decodeFinish(raw: string, contents: Contents): Finish {
  const reason = reasonOf(raw);
  if (reason === 'stop' || raw === '') {
    if (contents.calls) return { reason: 'tool-calls', raw };
    if (contents.refusal) return { reason: 'refusal', raw };
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

/** Encodes it. A refusal whose text is in the response ends like any other response, as at OpenAI. */
export function encodeFinishReason({ reason }: Finish, contents: Pick<Contents, 'refusal'>): ChatFinishReason {
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
      return contents.refusal ? 'stop' : 'content_filter';
    default:
      return reason satisfies never;
  }
}
