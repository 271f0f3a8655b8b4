import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { EnsureFirstOperatorRequest, EnsureFirstOperatorResponse } from '@tollgate/proto/auth';
import { type AuditActor, insertAudit } from '../store/audit.ts';
import {
  countOperators,
  findPersonByEmail,
  insertPerson,
  lockEmail,
  lockOperators,
  lockPerson,
  writePerson,
} from '../store/people.ts';
import { emailArgument, passwordHashArgument } from './people-arguments.ts';

const CONFIGURATION: AuditActor = { id: '', name: 'configuration', role: 'operator', via: 'console' };

/** Creates the first operator, as the console is configured. */
export function createEnsureFirstOperatorHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<EnsureFirstOperatorRequest, EnsureFirstOperatorResponse> {
  return async (request) => {
    const email = emailArgument('email', request.email);
    const { passwordHash: given } = request;
    const passwordHash = given === '' ? undefined : passwordHashArgument('password_hash', given);
    const created = await inTransaction(pool, async (client) => {
      await lockEmail(client, email);
      await lockOperators(client);
      if ((await countOperators(client)) > 0) return false;
      const known = await findPersonByEmail(client, email);
      // Read again under the lock: a password may have been set since.
      const person =
        (known && (await lockPerson(client, known.person_id))) ??
        (await insertPerson(client, { personId: newId(), email, name: '', passwordHash, passwordProven: true }));
      const password_hash = person.password_hash ?? passwordHash ?? null;
      // Whoever installs Tollgate vouches for the address.
      const password_proven = person.password_proven || person.password_hash === null;
      await writePerson(client, { ...person, password_hash, password_proven, is_operator: true });
      const target = { targetId: person.person_id, targetName: email, details: { role: 'operator' } };
      await insertAudit(client, { accountId: undefined, actor: CONFIGURATION, action: 'operator.add', ...target });
      return true;
    });
    return { created };
  };
}
