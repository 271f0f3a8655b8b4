import { roleName } from '@tollgate/common/actors/roles';
import type { Person, Role } from '@tollgate/proto/auth';
import { type Json, jsonTime } from '../terminal/print.ts';
import { formatTime } from './table.ts';

/** Columns of a list of people. */
export const PERSON_COLUMNS = [
  { title: 'PERSON' },
  { title: 'EMAIL' },
  { title: 'NAME' },
  { title: 'SIGNS IN BY' },
  { title: 'CREATED' },
];

/** A person's fields, in the order of the columns. */
export function personFields(person: Person): string[] {
  return [person.personId, person.email, person.name, signsInBy(person), formatTime(person.createdAtMs)];
}

/** A person as JSON. */
export function personJson(person: Person): { [key: string]: Json } {
  return {
    person_id: person.personId,
    email: person.email,
    name: person.name,
    is_operator: person.isOperator,
    has_password: person.hasPassword,
    has_identity: person.hasIdentity,
    created_at: jsonTime(person.createdAtMs),
  };
}

/** The name of a role that a service has returned. */
export function roleText(role: Role): string {
  return roleName(role) ?? 'unknown';
}

function signsInBy({ hasPassword, hasIdentity }: Person): string {
  if (hasPassword && hasIdentity) return 'password, OIDC';
  if (hasPassword) return 'password';
  return hasIdentity ? 'OIDC' : 'nothing yet';
}
