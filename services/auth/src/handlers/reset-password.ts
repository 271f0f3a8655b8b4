import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { ResetPasswordRequest, ResetPasswordResponse } from '@tollgate/proto/auth';
import { actorOfPerson } from '../people/actor-of-person.ts';
import { insertAudit } from '../store/audit.ts';
import { findPasswordReset, removePasswordResets, takePasswordReset } from '../store/password-resets.ts';
import { lockPerson, toPerson, writePerson } from '../store/people.ts';
import { sha256Argument } from './arguments.ts';
import { passwordHashArgument } from './people-arguments.ts';

/** Sets a password by a reset, which is used up with all others of the person. */
export function createResetPasswordHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ResetPasswordRequest, ResetPasswordResponse> {
  return async (request) => {
    const secretSha256 = sha256Argument('secret_sha256', request.secretSha256);
    const passwordHash = passwordHashArgument('password_hash', request.passwordHash);
    const person = await inTransaction(pool, async (client) => {
      const personId = await findPasswordReset(client, secretSha256);
      // As everywhere, the person is locked before their resets.
      const known = personId === undefined ? undefined : await lockPerson(client, personId);
      const reset = known === undefined ? undefined : await takePasswordReset(client, secretSha256);
      if (known === undefined || reset === undefined) {
        throw new RpcError('not_found', 'the reset is unknown, used or expired');
      }
      await removePasswordResets(client, known.person_id);
      const target = { targetId: known.person_id, targetName: known.email, details: {} };
      const change = { accountId: undefined, actor: actorOfPerson(known), action: 'password.reset' };
      await insertAudit(client, { ...change, ...target });
      return writePerson(client, { ...known, password_hash: passwordHash, password_proven: reset.mailed });
    });
    return { person: toPerson(person) };
  };
}
