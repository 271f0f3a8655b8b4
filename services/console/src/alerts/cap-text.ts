import { minute } from './amounts-and-times.ts';

/*
 * Caps as e-mails and the page of alerts name them.
 */

const CAP_NAMES = {
  day: 'daily cap',
  week: 'weekly cap',
  month: 'monthly cap',
  total: 'total cap',
  session: 'limit',
} as const;

export function capName({ period }: { period?: keyof typeof CAP_NAMES | undefined }): string {
  return period === undefined ? 'cap' : CAP_NAMES[period];
}

/** What a cap limits: a key, or a node above or below keys, such as a project. */
export function ownerOf(cap: {
  key_name?: string | undefined;
  scope?: string | undefined;
  node_name?: string | undefined;
}): string {
  if (cap.scope === undefined) return `key ${cap.key_name}`;
  return `${cap.scope.replaceAll('_', ' ')} ${cap.node_name ?? ''}`.trim();
}

/** When a cap starts again, as a sentence; empty for one that does not. */
export function renewal({ resets_at: time }: { resets_at?: string | undefined }): string {
  return time === undefined ? '' : ` It resets at ${minute(time)}.`;
}
