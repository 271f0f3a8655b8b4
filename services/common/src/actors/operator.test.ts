import type { handleUnaryCall } from '@grpc/grpc-js';
import {
  type ActorToken,
  AuthServiceService,
  type GetAccountRequest,
  type GetAccountResponse,
  type GetCredentialRequest,
  type GetCredentialResponse,
  type IssueActorTokenRequest,
  Person,
  Role,
} from '@tollgate/proto/auth';
import { expect, it } from 'vitest';
import { unaryCall } from '../grpc/client.ts';
import { startGrpcServer } from '../grpc/server.ts';
import { createLogger } from '../logging.ts';
import { actorTokenOf } from './attach-token.ts';
import { cachedTokens, openOperatorClients } from './operator.ts';
import { ACTOR_TOKEN_MS } from './token.ts';

/** Issues `token 1`, `token 2` and so on, on a clock of its own. */
class Issuer {
  nowMs = 1_000_000;
  count = 0;
  failing = false;
  readonly tokens = cachedTokens(
    async () => {
      this.count += 1;
      if (this.failing) throw new Error('auth is down');
      return { token: `token ${this.count}`, expiresAtMs: BigInt(this.nowMs + ACTOR_TOKEN_MS) };
    },
    () => this.nowMs,
  );
}

it('uses a token until shortly before it expires', async () => {
  const issuer = new Issuer();
  expect(await issuer.tokens()).toBe('token 1');
  issuer.nowMs += ACTOR_TOKEN_MS / 2;
  expect(await issuer.tokens()).toBe('token 1');
  issuer.nowMs += ACTOR_TOKEN_MS / 2 - 1;
  expect(await issuer.tokens()).toBe('token 2');
  expect(issuer.count).toBe(2);
});

it('issues one token for calls that begin together', async () => {
  const issuer = new Issuer();
  expect(await Promise.all([issuer.tokens(), issuer.tokens()])).toEqual(['token 1', 'token 1']);
});

it('asks again after a failure', async () => {
  const issuer = new Issuer();
  issuer.failing = true;
  await expect(issuer.tokens()).rejects.toThrow('auth is down');
  issuer.failing = false;
  expect(await issuer.tokens()).toBe('token 2');
});

it('makes the calls of clients as the operator, with one token', async () => {
  const presented: (string | undefined)[] = [];
  const getCredential: handleUnaryCall<GetCredentialRequest, GetCredentialResponse> = ({ request }, callback) => {
    const person = Person.fromPartial({ personId: `id of ${request.email}` });
    callback(null, { person, passwordHash: '' });
  };
  const issueActorToken: handleUnaryCall<IssueActorTokenRequest, ActorToken> = ({ request }, callback) => {
    const expiresAtMs = BigInt(Date.now() + ACTOR_TOKEN_MS);
    callback(null, { token: request.personId, expiresAtMs, role: Role.OPERATOR, accountId: '', actorId: '' });
  };
  const getAccount: handleUnaryCall<GetAccountRequest, GetAccountResponse> = ({ metadata }, callback) => {
    presented.push(actorTokenOf(metadata));
    callback(null, { account: undefined });
  };
  const { getCredential: credential, issueActorToken: issue, getAccount: account } = AuthServiceService;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger: createLogger('test', 'silent'),
    definition: { getCredential: credential, issueActorToken: issue, getAccount: account },
    implementation: { getCredential, issueActorToken, getAccount },
    serviceName: 'tollgate.auth.v1.AuthService',
  });
  const address = `127.0.0.1:${server.port}`;
  const { auth, close } = openOperatorClients({ auth: address, ledger: address }, undefined, 'ana@example.com');
  try {
    for (let call = 0; call < 2; call += 1) {
      await unaryCall(auth.getAccount.bind(auth), { accountId: '' }, { deadlineMs: 20_000 });
    }
    expect(presented).toEqual(['id of ana@example.com', 'id of ana@example.com']);
  } finally {
    close();
    await server.stop(100);
  }
});
