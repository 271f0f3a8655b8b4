import { type Permission as Described, Roles } from '@tollgate/proto/api';
import { PERMISSIONS as DESCRIBED } from '@tollgate/proto/permissions';
import type { RoleName } from './roles.ts';

/** Who may make a call, in terms of actor tokens: see the proto file of options. */
export interface Permission extends Omit<Described, 'roles' | 'caller'> {
  roles: readonly RoleName[];
}

const ROLES_OF: Readonly<Record<Roles, readonly RoleName[]>> = {
  [Roles.UNSPECIFIED]: [],
  [Roles.OPERATOR]: ['operator'],
  [Roles.OWNER]: ['operator', 'owner'],
  [Roles.MEMBERS]: ['operator', 'owner', 'admin'],
  [Roles.MONEY]: ['operator', 'owner', 'billing'],
  [Roles.KEYS]: ['operator', 'owner', 'admin', 'developer'],
  [Roles.ANY]: ['operator', 'owner', 'admin', 'developer', 'billing'],
};

/** The names of roles that may make a call. */
export function rolesOf(roles: Roles): readonly RoleName[] {
  return ROLES_OF[roles];
}

/**
 * Who may make each unary call, as its proto file says. `caller`: the caller's certificate alone decides. Calls that are not
 * listed are denied.
 */
export const PERMISSIONS: Readonly<Record<string, Permission | 'caller'>> = Object.fromEntries(
  Object.entries(DESCRIBED).map(([path, { caller, roles, ...rest }]) => [
    path,
    caller ? 'caller' : { ...rest, roles: rolesOf(roles) },
  ]),
);
