import type { Output } from '../../api/client.ts';
import { inWords } from '../../format/sentence.ts';
import { duration } from '../../format/time.ts';

export type Confirmation = Output<'GET /accounts/{account_id}/keys/{key_id}/propagation'>['confirmations'][number];

/** What a deletion has reached, once the call has returned. */
export function deletionSummary(confirmations: readonly Confirmation[]): string {
  const confirmed = confirmations.filter((each) => each.confirmed);
  const cutOff = confirmations.filter((each) => !each.confirmed).map((each) => each.ingress);
  if (confirmations.length === 0) return 'Dead. No ingress is connected, so none has to confirm.';
  const last = Math.max(0, ...confirmed.map((each) => each.after_ms ?? 0));
  const reached = `Dead on ${confirmed.length} of ${confirmations.length} ${confirmations.length === 1 ? 'ingress' : 'ingresses'}`;
  const after = confirmed.length === 0 ? '' : ` after ${duration(last)}`;
  if (cutOff.length === 0) return `${reached}${after}.`;
  const [is, has, it] = cutOff.length === 1 ? ['is', 'has', 'it'] : ['are', 'have', 'they'];
  return `${reached}${after}. ${inWords(cutOff)} ${is} cut off and ${has} not confirmed: ${it} will accept no key without asking for its state.`;
}

/** What is known while the call waits. */
export function waitingSummary(confirmations: readonly Confirmation[] | undefined): string {
  if (confirmations === undefined || confirmations.length === 0) return 'Waiting for every ingress to confirm.';
  const waiting = confirmations.filter((each) => !each.confirmed).map((each) => each.ingress);
  if (waiting.length === 0) return 'Every ingress has confirmed.';
  return `Waiting for ${inWords(waiting)} to confirm. If one is cut off, this takes about 5 s.`;
}
