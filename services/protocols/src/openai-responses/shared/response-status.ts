import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/** The error of a failed response; undefined when it did not fail. */
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
