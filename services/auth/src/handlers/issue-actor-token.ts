import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { ActorToken, IssueActorTokenRequest } from '@tollgate/proto/auth';
import { issueToken, type TokenDependencies } from '../people/issue-token.ts';
import { findAccount } from '../store/accounts.ts';
import { findRights } from '../store/memberships.ts';
import { findPerson, type PersonRow } from '../store/people.ts';

/** Issues a token for a person, whose role is read each time. */
export function createIssueActorTokenHandler(
  deps: TokenDependencies,
): UnaryHandler<IssueActorTokenRequest, ActorToken> {
  return async (request) => {
    const personId = uuidArgument('person_id', request.personId);
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const person = await findPerson(deps.pool, personId);
    if (person === undefined) throw new RpcError('permission_denied', 'no such person');
    const { viewAs: readOnly } = request;
    const rights = await rightsOfPerson(deps, person, { accountId, viewAs: readOnly });
    return issueToken(deps, { id: personId, name: person.email, ...rights, via: 'console', accountId, readOnly });
  };
}

/** What a person may do in an account, or an operator in all. One who views an account does so as an owner. */
async function rightsOfPerson(
  { pool }: TokenDependencies,
  person: PersonRow,
  { accountId, viewAs }: { accountId: string | undefined; viewAs: boolean },
): Promise<Pick<Actor, 'role' | 'projectIds'>> {
  if (accountId === undefined) {
    if (viewAs) throw new RpcError('invalid_argument', 'account_id: must be set with view_as');
    if (!person.is_operator) throw new RpcError('permission_denied', 'the person is not an operator');
    return { role: 'operator' };
  }
  if (viewAs) {
    if (!person.is_operator) throw new RpcError('permission_denied', 'the person is not an operator');
    if ((await findAccount(pool, accountId)) === undefined) throw new RpcError('not_found', 'no such account');
    return { role: 'owner' };
  }
  const rights = await findRights(pool, accountId, person.person_id);
  if (rights === undefined) throw new RpcError('permission_denied', 'the person is not a member of the account');
  return rights;
}
