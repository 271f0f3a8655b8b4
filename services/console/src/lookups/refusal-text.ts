import { isRefusalReason, REFUSAL_TEXTS } from '@tollgate/common/refusal-reasons';
import type { RefusingLimit } from '@tollgate/proto/ledger';

/**
 * What a reason means and what to do about it. A reason of a newer ingress, which is not known here, is its own label and
 * has no sentence.
 *
 * @param limit the cap that refused it; undefined: none, or it is not known
 */
export function refusalText(
  reason: string,
  limit?: RefusingLimit,
): { label: string; sentence: string; action: string } {
  if (!isRefusalReason(reason)) return { label: reason, sentence: '', action: '' };
  const { label, happened, remedy } = REFUSAL_TEXTS[reason];
  if (limit === undefined) return { label, sentence: happened, action: remedy };
  const why = reason === 'cap_exceeded' ? EXCEEDED : HELD;
  const action = limit.scope === 'session' ? remedy.replace('Raise the cap', 'Start another session') : remedy;
  return { label, sentence: `The ${capOf(limit)} refused it: ${why}`, action };
}

const EXCEEDED = 'too little is left of it for the most that the request can cost.';
const HELD = 'open requests held the rest of it.';

const CAP_NAMES: Readonly<Record<string, string>> = {
  day: 'daily cap',
  week: 'weekly cap',
  month: 'monthly cap',
  total: 'total cap',
};

function capOf({ scope, name, window }: RefusingLimit): string {
  const holder = scope.replaceAll('_', ' ');
  return `${CAP_NAMES[window] ?? 'cap'} of ${name === '' ? `its ${holder}` : `${holder} ${name}`}`;
}
