import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { GetCredentialRequest, GetCredentialResponse } from '@tollgate/proto/auth';
import { findPersonByEmail, toPerson } from '../store/people.ts';
import { emailArgument } from './people-arguments.ts';

/** Returns the hash of a person's password, which the console checks. */
export function createGetCredentialHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<GetCredentialRequest, GetCredentialResponse> {
  return async (request) => {
    const person = await findPersonByEmail(pool, emailArgument('email', request.email));
    if (person === undefined) throw new RpcError('not_found', 'no such person');
    return { person: toPerson(person), passwordHash: person.password_hash ?? '' };
  };
}
