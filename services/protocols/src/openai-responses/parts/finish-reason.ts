import type { Finish, FinishReason } from '../../canonical/response.ts';

/** How an answer is said to have ended. */
export type Ending =
  | { readonly status: 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' };

/**
 * @param word the status, or the reason why the answer is incomplete
 * @param hasCalls whether the answer calls tools of the client, which the protocol does not tell apart
 */
export function readFinish(word: string, hasCalls: boolean): Finish {
  return { reason: reasonOf(word, hasCalls), raw: word };
}

function reasonOf(word: string, hasCalls: boolean): FinishReason {
  switch (word) {
    case 'completed':
      return hasCalls ? 'tool-calls' : 'stop';
    case 'max_output_tokens':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    default:
      return 'other';
  }
}

export function endingOf(reason: FinishReason): Ending {
  switch (reason) {
    case 'length':
    case 'context':
      return { status: 'incomplete', reason: 'max_output_tokens' };
    case 'content-filter':
    case 'refusal':
      return { status: 'incomplete', reason: 'content_filter' };
    case 'stop':
    case 'tool-calls':
    case 'pause':
    case 'malformed-call':
    case 'other':
      return { status: 'completed' };
    default:
      return reason satisfies never;
  }
}
