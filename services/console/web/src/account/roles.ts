import type { Item } from '../api/client.ts';
import type { RoleName } from './account-context.tsx';

export type MemberRole = Item<'GET /accounts/{account_id}/members'>['role'];

/** What members may do, from most to least. */
export const MEMBER_ROLES: readonly { value: MemberRole; label: string; detail: string }[] = [
  { value: 'owner', label: 'Owner', detail: 'Everything, including money and the audit log' },
  { value: 'admin', label: 'Admin', detail: 'Members, keys, limits and caps' },
  { value: 'developer', label: 'Developer', detail: 'Their own keys and the requests of those' },
  { value: 'billing', label: 'Billing', detail: 'Money and usage, no keys' },
];

/** Roles that an actor may give: admins neither make nor change owners. */
export function rolesToGive(actor: RoleName): typeof MEMBER_ROLES {
  return actor === 'admin' ? MEMBER_ROLES.filter(({ value }) => value !== 'owner') : MEMBER_ROLES;
}

export function roleLabel(role: RoleName): string {
  return role === 'operator' ? 'Operator' : (MEMBER_ROLES.find(({ value }) => value === role)?.label ?? role);
}
