import { isRefusalReason, REFUSAL_TEXTS } from '@tollgate/common/refusal-reasons';

/**
 * What a reason means and what to do about it. A reason of a newer ingress, which is not known here, is its own label and
 * has no sentence.
 */
export function refusalText(reason: string): { label: string; sentence: string; action: string } {
  if (!isRefusalReason(reason)) return { label: reason, sentence: '', action: '' };
  const { label, happened, remedy } = REFUSAL_TEXTS[reason];
  return { label, sentence: happened, action: remedy };
}
