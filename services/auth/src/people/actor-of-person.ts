import type { AuditActor } from '../store/audit.ts';
import type { PersonRow } from '../store/people.ts';

/**
 * A person who acts before a token names their role: when they sign in, or accept an invitation.
 *
 * @param role empty for changes of themselves
 */
export function actorOfPerson(
  { person_id: id, email: name }: Pick<PersonRow, 'person_id' | 'email'>,
  role: AuditActor['role'] = '',
): AuditActor {
  return { id, name, role, via: 'console' };
}
