import type { KeyObject } from 'node:crypto';
import { ACTOR_TOKEN_MS, signActorToken } from '@tollgate/common/actors/token';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import { type ActorToken, type IssueOperatorTokenRequest, Role } from '@tollgate/proto/auth';
import { plainTextArgument } from './arguments.ts';

/** Issues a token for an operator at the command line, who acts in all accounts. */
export function createIssueOperatorTokenHandler({
  signingKey,
}: {
  signingKey: KeyObject;
}): UnaryHandler<IssueOperatorTokenRequest, ActorToken> {
  return async (request) => {
    const name = plainTextArgument('name', request.name, 200);
    const nowMs = Date.now();
    const token = await signActorToken(
      signingKey,
      { id: '', name, role: 'operator', via: 'cli', accountId: undefined, readOnly: false, keyIds: undefined },
      nowMs,
    );
    return { token, expiresAtMs: BigInt(nowMs + ACTOR_TOKEN_MS), role: Role.OPERATOR, accountId: '', actorId: '' };
  };
}
