import type { Output } from '../../api/client.ts';
import { duration } from '../../format/time.ts';

type Confirmations = Output<'DELETE /accounts/{account_id}/keys/{key_id}'>['confirmations'];

/** How far the deletion of a key got: `Dead on 3 of 3 ingresses after 140 ms`. */
export function deletionOutcome(confirmations: Confirmations): string {
  if (confirmations.length === 0) return 'Deleted. No ingress is connected.';
  const confirmed = confirmations.filter((each) => each.confirmed);
  const reached = `Dead on ${confirmed.length} of ${confirmations.length} ingresses`;
  if (confirmed.length < confirmations.length) return `${reached}. The rest are out of contact and do not accept it.`;
  return `${reached} after ${duration(Math.max(0, ...confirmed.map((each) => each.after_ms ?? 0)))}`;
}
