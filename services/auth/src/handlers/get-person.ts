import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetPersonRequest, GetPersonResponse } from '@tollgate/proto/auth';
import { MAX_MEMBERSHIPS } from '../people/limits.ts';
import { listMemberships } from '../store/memberships.ts';
import { findPerson, toPerson } from '../store/people.ts';

/** Returns a person with the accounts they are a member of. */
export function createGetPersonHandler({ pool }: { pool: Pool }): UnaryHandler<GetPersonRequest, GetPersonResponse> {
  return async (request) => {
    const personId = uuidArgument('person_id', request.personId);
    const person = await findPerson(pool, personId);
    if (person === undefined) throw new RpcError('not_found', 'no such person');
    return { person: toPerson(person), memberships: await listMemberships(pool, personId, MAX_MEMBERSHIPS) };
  };
}
