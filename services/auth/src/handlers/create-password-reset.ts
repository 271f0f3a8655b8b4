import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { CreatePasswordResetRequest, CreatePasswordResetResponse } from '@tollgate/proto/auth';
import { EXPIRED_AT_ONCE } from '../people/limits.ts';
import { insertAudit } from '../store/audit.ts';
import { insertPasswordReset, removeExpiredPasswordResets } from '../store/password-resets.ts';
import { findPersonByEmail, lockPerson, toPerson } from '../store/people.ts';
import { sha256Argument } from './arguments.ts';
import { emailArgument, expiryArgument } from './people-arguments.ts';

const MAX_DAYS = 7;
/** Links of one person that are valid at the same time; requesting another one must not end the one just sent. */
const MAX_RESETS = 5;

/**
 * Records a password reset. It is audited if an operator creates it; what anybody may request on the sign-in page must not
 * fill the audit log.
 */
export function createCreatePasswordResetHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CreatePasswordResetRequest, CreatePasswordResetResponse> {
  return async (request, { actor }) => {
    const email = emailArgument('email', request.email);
    const secretSha256 = sha256Argument('secret_sha256', request.secretSha256);
    const expiresAt = expiryArgument('expires_at_ms', request.expiresAtMs, { maxDays: MAX_DAYS, nowMs: Date.now() });
    const person = await inTransaction(pool, async (client) => {
      const personId = (await findPersonByEmail(client, email))?.person_id;
      const locked = personId === undefined ? undefined : await lockPerson(client, personId);
      if (locked === undefined) throw new RpcError('not_found', 'nobody has this e-mail address');
      const reset = { secretSha256, personId: locked.person_id, expiresAt, mailed: request.mailed === true };
      if (!(await insertPasswordReset(client, reset, MAX_RESETS))) {
        throw new RpcError('already_exists', 'secret_sha256: is in use');
      }
      if (actor !== undefined) {
        const target = { targetId: locked.person_id, targetName: email, details: {} };
        await insertAudit(client, { accountId: undefined, actor, action: 'password.create_reset', ...target });
      }
      await removeExpiredPasswordResets(client, EXPIRED_AT_ONCE);
      return locked;
    });
    return { person: toPerson(person) };
  };
}
