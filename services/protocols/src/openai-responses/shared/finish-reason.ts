import type { Finish, FinishReason } from '../../canonical/response.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/** How a response reports its end. */
export type Ending =
  | { readonly status: 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' };

/** The contents of a response that its status does not show: calls of the client's tools, and refusals. */
export interface Contents {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/** @param word the status, or the reason why the response is incomplete */
export function decodeFinish(word: string, contents: Contents): Finish {
  return { reason: reasonOf(word, contents), raw: word };
}

function reasonOf(word: string, contents: Contents): FinishReason {
  switch (word) {
    case 'completed':
      if (contents.calls) return 'tool-calls';
      return contents.refusal ? 'refusal' : 'stop';
    case 'max_output_tokens':
    case 'max_tokens':
    // Some upstreams report only this for a response that reached its limit.
    case 'incomplete':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    default:
      return 'other';
  }
}

export function encodeFinish(reason: FinishReason): Ending {
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

/** The error of a failed response; undefined if it did not fail. */
export function failureOf(response: JsonRecord): JsonRecord | undefined {
  const { error, status } = response;
  if (isRecord(error)) return { error };
  if (typeof error === 'string' && error !== '') return { error };
  return status === 'failed' || status === 'cancelled' ? { error: { code: status } } : undefined;
}

/** The upstream's word for how a response ended: its status, or the reason why it is incomplete. */
export function finishWord(response: JsonRecord): string {
  const reason = stringOr(recordOr(response['incomplete_details'])['reason']);
  return reason === '' ? stringOr(response['status']) : reason;
}
