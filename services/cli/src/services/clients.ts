import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallOptions,
  type ChannelCredentials,
  type Client as GrpcClient,
  type Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { ActorTokenSource } from '@tollgate/common/actors/attach-token';
import { cachedTokens, issueOperatorToken } from '@tollgate/common/actors/operator';
import { grpcTlsSettings, loadConfig } from '@tollgate/common/config';
import { isGrpcError } from '@tollgate/common/errors';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { NO_INGRESS } from '@tollgate/common/no-ingress';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { RouterServiceClient } from '@tollgate/proto/router';
import { z } from 'zod';
import { CommandFailure, toCommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { addressOf, type ServiceName } from './addresses.ts';
import { operatorName } from './operator-name.ts';

/** Time limits of connecting, and of the call after it. */
const CONNECT_MS = 3_000;
const DEADLINE_MS = 10_000;
/** Time limit of changes of keys and accounts, which wait for every ingress to confirm them. */
export const CHANGE_DEADLINE_MS = 30_000;

type Method<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => { cancel: () => void };

export interface AddressOptions {
  authAddress?: string | undefined;
  ledgerAddress?: string | undefined;
  routerAddress?: string | undefined;
}

/** Where calls go, and who makes them. */
export interface CallerOptions extends AddressOptions {
  operator?: string | undefined;
}

/** Where a call goes. */
interface Target<Client> {
  service: ServiceName;
  Client: new (address: string, channelCredentials: ChannelCredentials, options: object) => Client;
}

const AUTH: Target<AuthServiceClient> = { service: 'auth', Client: AuthServiceClient };
const LEDGER: Target<LedgerServiceClient> = { service: 'ledger', Client: LedgerServiceClient };
const ROUTER: Target<RouterServiceClient> = { service: 'router', Client: RouterServiceClient };

/** The process and the options of the command that calls. */
export interface Caller {
  io: Io;
  options: CallerOptions;
}

type Call<Client> = <Request, Response>(
  caller: Caller,
  pick: (client: Client) => Method<Request, Response>,
  request: Request,
  deadlineMs?: number,
) => Promise<Response>;

/**
 * Calls one method of a service as the operator, over its own connection. The method is passed bound, as in
 * `callAuth(caller, (client) => client.getAccount.bind(client), request)`.
 *
 * @throws CommandFailure with the error of the service, or when it did not respond
 */
export const callAuth = callOf(AUTH);
/** As callAuth. */
export const callLedger = callOf(LEDGER);
/** As callAuth. */
export const callRouter = callOf(ROUTER);

function callOf<Client extends GrpcClient>(target: Target<Client>): Call<Client> {
  return async (caller, pick, request, deadlineMs = DEADLINE_MS) => {
    const address = addressIn(caller, target.service);
    const actorToken = await operatorToken(caller);
    return withClient(target, caller, address, (client) =>
      unaryCall(pick(client), request, { deadlineMs, actorToken }),
    );
  };
}

/** How often a router is asked that may not be the one an ingress is connected to, and the pause between. */
const ROUTER_ATTEMPTS = 8;
const ROUTER_PAUSE_MS = 250;

/**
 * As callRouter, for calls that need an ingress. Each is connected to one router, and the calls of a connection go round
 * all of them, so the call is repeated until one has an ingress.
 *
 * @param hasIngress whether a response comes from such a router
 */
export async function callRouterWithIngress<Request, Response>(
  caller: Caller,
  pick: (client: RouterServiceClient) => Method<Request, Response>,
  request: Request,
  hasIngress: (response: Response) => boolean,
  deadlineMs = DEADLINE_MS,
): Promise<Response> {
  const address = addressIn(caller, 'router');
  const actorToken = await operatorToken(caller);
  return withClient(ROUTER, caller, address, async (client) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === ROUTER_ATTEMPTS;
      try {
        const response = await unaryCall(pick(client), request, { deadlineMs, actorToken });
        if (isLast || hasIngress(response)) return response;
      } catch (error) {
        if (isLast || !isWithoutIngress(error)) throw error;
      }
      await delay(ROUTER_PAUSE_MS);
    }
  });
}

function isWithoutIngress(error: unknown): boolean {
  return isGrpcError(error) && error.code === status.UNAVAILABLE && error.details === NO_INGRESS;
}

function addressIn({ io, options }: Caller, service: ServiceName): string {
  return addressOf(service, options[`${service}Address`], io);
}

/** Calls a service over a connection that is closed afterwards. */
async function withClient<Client extends GrpcClient, T>(
  target: Target<Client>,
  { io }: Caller,
  address: string,
  call: (client: Client) => Promise<T>,
): Promise<T> {
  const client = createGrpcClient(target.Client, address, grpcTls(loadConfig(z.object(grpcTlsSettings), io.env)));
  try {
    await connect(client, target.service, address);
    return await call(client);
  } catch (error) {
    throw toCommandFailure(error, target.service, address);
  } finally {
    client.close();
  }
}

/** Tokens by the process of a command, which makes all its calls as one operator. */
const tokensOf = new WeakMap<Io, ActorTokenSource>();

function operatorToken(caller: Caller): Promise<string> {
  const { io, options } = caller;
  const issue = () =>
    withClient(AUTH, caller, addressIn(caller, 'auth'), (auth) =>
      issueOperatorToken(auth, operatorName(options.operator, io)),
    );
  const tokens = tokensOf.get(io) ?? cachedTokens(issue);
  tokensOf.set(io, tokens);
  return tokens();
}

function connect(client: GrpcClient, service: ServiceName, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + CONNECT_MS, (error) => {
      if (error === undefined) resolve();
      else reject(new CommandFailure(`the ${service} service at ${address} cannot be reached`, { cause: error }));
    });
  });
}
