import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { RemoveOperatorRequest, RemoveOperatorResponse } from '@tollgate/proto/auth';
import { requireCurrentRole } from '../people/current-role.ts';
import { insertAudit } from '../store/audit.ts';
import { countOperators, lockOperators, lockPerson, writePerson } from '../store/people.ts';

/** Makes an operator an ordinary person, who stays a member of their accounts. */
export function createRemoveOperatorHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<RemoveOperatorRequest, RemoveOperatorResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const personId = uuidArgument('person_id', request.personId);
    await inTransaction(pool, async (client) => {
      await lockOperators(client);
      await requireCurrentRole(client, actor, undefined);
      const person = await lockPerson(client, personId);
      if (person?.is_operator !== true) throw new RpcError('not_found', 'no such operator');
      if ((await countOperators(client)) === 1) {
        throw new RpcError('failed_precondition', 'the last operator cannot be removed');
      }
      await writePerson(client, { ...person, is_operator: false });
      const target = { targetId: personId, targetName: person.email, details: {} };
      await insertAudit(client, { accountId: undefined, actor, action: 'operator.remove', ...target });
    });
    return {};
  };
}
