import type { Output } from '../../api/client.ts';

/** A valid key that a removed member made. */
export interface LeftKey {
  id: string;
  kind: 'api' | 'management';
  name: string;
  lastFour: string;
}

/** The keys that a removed member leaves behind, management keys first: they reach further. */
export function leftKeys(removed: Output<'DELETE /accounts/{account_id}/members/{person_id}'>): LeftKey[] {
  return [
    ...removed.management_keys.map(({ management_key_id: id, name, last_four }) => ({
      ...{ id, kind: 'management' as const, name, lastFour: last_four },
    })),
    ...removed.keys.map(({ key_id: id, name, last_four }) => ({
      ...{ id, kind: 'api' as const, name, lastFour: last_four },
    })),
  ];
}

/** Which of them a person may delete: management keys belong to owners. */
export function deletable(keys: readonly LeftKey[], mayDeleteManagementKeys: boolean): LeftKey[] {
  return keys.filter(({ kind }) => kind === 'api' || mayDeleteManagementKeys);
}

/** `2 keys and 1 management key` */
export function countOf(keys: readonly LeftKey[]): string {
  const management = keys.filter(({ kind }) => kind === 'management').length;
  const parts = [
    { count: keys.length - management, noun: 'key' },
    { count: management, noun: 'management key' },
  ].filter(({ count }) => count > 0);
  return parts.map(({ count, noun }) => `${count} ${noun}${count === 1 ? '' : 's'}`).join(' and ');
}
