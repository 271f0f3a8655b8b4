import { createPublicKey } from 'node:crypto';
import { type ServerUnaryCall, status } from '@grpc/grpc-js';
import { AuthServiceClient, AuthServiceService, GetAccountResponse, ResolveKeyResponse } from '@tollgate/proto/auth';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ACTOR_SETTINGS, actorWith, tokenFor } from '../../testing/actors.ts';
import { RpcError } from '../errors.ts';
import { createGrpcClient, unaryCall } from '../grpc/client.ts';
import { unary } from '../grpc/handler.ts';
import { type GrpcServer, startGrpcServer } from '../grpc/server.ts';
import { createLogger } from '../logging.ts';
import { type ActorTokenSource, actorTokenOf } from './attach-token.ts';
import { authorizeBy } from './authorize.ts';
import { type Actor, MAX_TOKEN_KEYS, MAX_TOKEN_PROJECTS } from './token.ts';

const ACCOUNT = '0190a5b0-0000-7000-8000-00000000000a';
const SERVICE = 'tollgate.auth.v1.AuthService';
const LONG = { deadlineMs: 20_000 };

let server: GrpcServer;
let actors: (Actor | undefined)[];
/** What calls without an actor presented. */
let presented: (string | undefined)[];
const closes: (() => void)[] = [];

beforeEach(async () => {
  actors = [];
  presented = [];
  const logger = createLogger('test', 'silent');
  const deps = { logger, authorize: authorizeBy([createPublicKey(ACTOR_SETTINGS.ACTOR_PUBLIC_KEYS)]) };
  const { getAccount, resolveKey } = AuthServiceService;
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    definition: { getAccount, resolveKey },
    implementation: {
      getAccount: unary(`${SERVICE}/GetAccount`, deps, async (_request, { actor }) => {
        actors.push(actor);
        return GetAccountResponse.fromPartial({});
      }),
      resolveKey: (call: ServerUnaryCall<unknown, unknown>, callback: (error: null, response: unknown) => void) => {
        presented.push(actorTokenOf(call.metadata));
        callback(null, ResolveKeyResponse.fromPartial({}));
      },
    },
    serviceName: SERVICE,
  });
});
afterEach(async () => {
  for (const close of closes.splice(0)) close();
  await server.stop(100);
});

function clientWith(actorToken: ActorTokenSource): AuthServiceClient {
  const client = createGrpcClient(AuthServiceClient, `127.0.0.1:${server.port}`, undefined, { actorToken });
  closes.push(() => client.close());
  return client;
}

const getAccount = (client: AuthServiceClient, options: Partial<Parameters<typeof unaryCall>[2]> = {}) =>
  unaryCall(client.getAccount.bind(client), { accountId: ACCOUNT }, { ...LONG, ...options });

it('attaches the token to a call that takes an actor, and not to others', async () => {
  const operator = actorWith();
  const client = clientWith(() => tokenFor(operator));
  await getAccount(client);
  expect(actors).toEqual([operator]);
  await unaryCall(client.resolveKey.bind(client), { keySha256: Buffer.alloc(32), accountTag: 'aaaaaa' }, LONG);
  expect(presented).toEqual([undefined]);
});

it('carries the largest token', async () => {
  const keyIds = Array.from({ length: MAX_TOKEN_KEYS }, () => ACCOUNT);
  const developer = actorWith({
    id: 'x'.repeat(200),
    name: 'ü'.repeat(200),
    role: 'developer',
    accountId: ACCOUNT,
    keyIds,
    projectIds: keyIds.slice(0, MAX_TOKEN_PROJECTS),
  });
  await getAccount(clientWith(() => tokenFor(developer)));
  expect(actors).toEqual([developer]);
});

it('fails a call whose token cannot be obtained, with the reason', async () => {
  const outage = Object.assign(new Error('x'), { code: status.UNAVAILABLE, details: 'auth is down' });
  await expect(getAccount(clientWith(() => Promise.reject(outage)))).rejects.toMatchObject({
    code: status.UNAVAILABLE,
    details: 'auth is down',
  });
  await expect(getAccount(clientWith(() => Promise.reject(new RpcError('internal', 'no key'))))).rejects.toMatchObject({
    code: status.INTERNAL,
    details: 'no key',
  });
  expect(actors).toEqual([]);
});

it('ends a call at its deadline and when it is cancelled, also while its token is awaited', async () => {
  const late = Promise.withResolvers<string>();
  const client = clientWith(() => late.promise);
  await expect(getAccount(client, { deadlineMs: 50 })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  const cancelling = new AbortController();
  const cancelled = getAccount(client, { signal: cancelling.signal });
  cancelling.abort();
  await expect(cancelled).rejects.toMatchObject({ code: status.CANCELLED });
  late.resolve(await tokenFor(actorWith()));
  await getAccount(client);
  expect(actors).toHaveLength(1);
});
