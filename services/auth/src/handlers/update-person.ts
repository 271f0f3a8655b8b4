import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { UpdatePersonRequest, UpdatePersonResponse } from '@tollgate/proto/auth';
import { changedAttributes } from '../audit/differences.ts';
import { actorOfPerson } from '../people/actor-of-person.ts';
import { insertAudit } from '../store/audit.ts';
import { removePasswordResets } from '../store/password-resets.ts';
import { lockPerson, type PersonRow, toPerson, writePerson } from '../store/people.ts';
import { plainTextArgument } from './arguments.ts';
import { passwordHashArgument } from './people-arguments.ts';

/** Changes a person's name or password on their own behalf. */
export function createUpdatePersonHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<UpdatePersonRequest, UpdatePersonResponse> {
  return async (request) => {
    const personId = uuidArgument('person_id', request.personId);
    const attributes = givenAttributes(request);
    const person = await inTransaction(pool, async (client) => {
      const known = await lockPerson(client, personId);
      if (known === undefined) throw new RpcError('not_found', 'no such person');
      if (attributes.password_hash !== undefined && known.session_generation !== request.sessionGeneration) {
        throw new RpcError('aborted', 'the password has been changed meanwhile');
      }
      // Without a password they have signed in with an identity, whose address is verified.
      const password_proven = known.password_hash === null || known.password_proven;
      const written = await writePerson(client, { ...known, ...attributes, password_proven });
      // A link that was sent before must not set another password.
      if (attributes.password_hash !== undefined) await removePasswordResets(client, personId);
      const details = {
        ...changedAttributes({ name: known.name }, { name: written.name }),
        ...(attributes.password_hash === undefined ? {} : { password: 'changed' }),
      };
      if (Object.keys(details).length === 0) return written;
      const change = { accountId: undefined, actor: actorOfPerson(known), action: 'person.update' };
      await insertAudit(client, { ...change, targetId: personId, targetName: known.email, details });
      return written;
    });
    return { person: toPerson(person) };
  };
}

/** The attributes that a request sets, checked. */
function givenAttributes({
  name,
  passwordHash,
}: UpdatePersonRequest): Partial<Pick<PersonRow, 'name' | 'password_hash'>> {
  const given = {
    ...(name === undefined ? {} : { name: plainTextArgument('name', name, 200) }),
    ...(passwordHash === undefined ? {} : { password_hash: passwordHashArgument('password_hash', passwordHash) }),
  };
  if (Object.keys(given).length === 0) throw new RpcError('invalid_argument', 'no field to change is set');
  return given;
}
