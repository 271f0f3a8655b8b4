import { createIssueOperatorTokenHandler } from '@tollgate/auth/handlers/issue-operator-token';
import { authorizeBy } from '@tollgate/common/actors/authorize';
import { readSigningKey } from '@tollgate/common/actors/token';
import { unary } from '@tollgate/common/grpc/handler';
import { startGrpcServer } from '@tollgate/common/grpc/server';
import { createLogger } from '@tollgate/common/logging';
import { ACTOR_SIGNING_SETTINGS } from '@tollgate/common/testing/actors';
import { AuthServiceService } from '@tollgate/proto/auth';

/** The part of auth that every command needs. */
export interface TokenServer {
  address: string;
  /** The operators that tokens were issued to. */
  names: string[];
  stop: () => Promise<void>;
}

/** Starts a server that issues tokens to operators as auth does, without the stores of auth. */
export async function startTokenServer(): Promise<TokenServer> {
  const logger = createLogger('test', 'silent');
  const signingKey = readSigningKey(ACTOR_SIGNING_SETTINGS.ACTOR_SIGNING_KEY);
  const names: string[] = [];
  const issue = createIssueOperatorTokenHandler({ signingKey });
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    definition: { issueOperatorToken: AuthServiceService.issueOperatorToken },
    implementation: {
      issueOperatorToken: unary(
        'tollgate.auth.v1.AuthService/IssueOperatorToken',
        { logger, authorize: authorizeBy([]) },
        async (request, context) => {
          const issued = await issue(request, context);
          names.push(request.name);
          return issued;
        },
      ),
    },
    serviceName: 'tollgate.auth.v1.AuthService',
  });
  return { address: `127.0.0.1:${server.port}`, names, stop: () => server.stop(100) };
}
