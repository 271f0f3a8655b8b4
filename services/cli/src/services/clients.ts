import type { CallOptions, ChannelCredentials, Client as GrpcClient, Metadata, ServiceError } from '@grpc/grpc-js';
import { grpcTlsSettings, loadConfig } from '@tollgate/common/config';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { RouterServiceClient } from '@tollgate/proto/router';
import { z } from 'zod';
import { CommandFailure, toCommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { addressOf, type ServiceName } from './addresses.ts';

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
  options: AddressOptions;
}

type Call<Client> = <Request, Response>(
  caller: Caller,
  pick: (client: Client) => Method<Request, Response>,
  request: Request,
  deadlineMs?: number,
) => Promise<Response>;

/**
 * Calls one method of a service over its own connection. The method is passed bound, as in
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
    const address = addressOf(target.service, caller.options[`${target.service}Address`], caller.io);
    const client = createGrpcClient(
      target.Client,
      address,
      grpcTls(loadConfig(z.object(grpcTlsSettings), caller.io.env)),
    );
    try {
      await connect(client, target.service, address);
      return await unaryCall(pick(client), request, { deadlineMs });
    } catch (error) {
      throw toCommandFailure(error, target.service, address);
    } finally {
      client.close();
    }
  };
}

function connect(client: GrpcClient, service: ServiceName, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + CONNECT_MS, (error) => {
      if (error === undefined) resolve();
      else reject(new CommandFailure(`the ${service} service at ${address} cannot be reached`, { cause: error }));
    });
  });
}
