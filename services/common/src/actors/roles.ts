import { Role } from '@tollgate/proto/auth';

/** What an actor may do, from most to least. Operators act in all accounts; the others are roles of members of one. */
export const ROLE_NAMES = ['operator', 'owner', 'admin', 'developer', 'billing'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

/** Roles that a member of an account can have. */
export const MEMBER_ROLES = ['owner', 'admin', 'developer', 'billing'] as const satisfies readonly RoleName[];
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** Whether a role is one that a member of an account can have. */
export function isMemberRole(role: RoleName): role is MemberRole {
  return role !== 'operator';
}

/** The name of a role; undefined for UNSPECIFIED. */
export function roleName(role: Role): RoleName | undefined {
  switch (role) {
    case Role.UNSPECIFIED:
      return undefined;
    case Role.OPERATOR:
      return 'operator';
    case Role.OWNER:
      return 'owner';
    case Role.ADMIN:
      return 'admin';
    case Role.DEVELOPER:
      return 'developer';
    case Role.BILLING:
      return 'billing';
    default:
      return role satisfies never;
  }
}

/** The role with a name. */
export function roleOf(name: RoleName): Role {
  switch (name) {
    case 'operator':
      return Role.OPERATOR;
    case 'owner':
      return Role.OWNER;
    case 'admin':
      return Role.ADMIN;
    case 'developer':
      return Role.DEVELOPER;
    case 'billing':
      return Role.BILLING;
    default:
      return name satisfies never;
  }
}
