import { unaryCall } from '@tollgate/common/grpc/client';
import { listen, stopListening } from '@tollgate/common/http-server';
import { createLogger, type Logger } from '@tollgate/common/logging';
import { findFreePort } from '@tollgate/local';
import type { Response } from 'express';
import { readConfig } from '../src/config.ts';
import { createDependencies, type ManagedDependencies } from '../src/dependencies.ts';
import { required } from '../src/required.ts';
import { createServer } from '../src/server.ts';
import { ApiClient } from './api-client.ts';

/** Where the console finds the services. */
export interface Addresses {
  databaseUrl: string;
  auth: string;
  ledger: string;
  router: string;
  /** Undefined: payments are not set up. */
  payments?: string;
  /** Base URL of the gateway. */
  gateway: string;
}

/** A console inside the test's process. */
export interface ServedConsole {
  url: string;
  dependencies: ManagedDependencies;
  /** A browser with a session of a person. */
  signIn: (personId: string) => Promise<ApiClient>;
  stop: () => Promise<void>;
}

/** Serves a console. Settings are those of its environment. */
export async function serveConsole(
  addresses: Addresses,
  settings: Record<string, string> = {},
  logger: Logger = createLogger('test', 'silent'),
): Promise<ServedConsole> {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const config = readConfig({
    LISTEN_HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: addresses.databaseUrl,
    CONSOLE_URL: url,
    BASE_URL: addresses.gateway,
    AUTH_ADDRESS: addresses.auth,
    LEDGER_ADDRESS: addresses.ledger,
    ROUTER_ADDRESS: addresses.router,
    ...(addresses.payments === undefined ? {} : { PAYMENTS_ADDRESS: addresses.payments }),
    ...settings,
  });
  const dependencies = createDependencies(config, logger);
  const server = createServer(dependencies);
  await listen(server, config.LISTEN_HOST, config.PORT);
  const signIn = async (personId: string) => {
    let cookie = '';
    const response = {
      cookie: (name: string, value: string) => {
        cookie = `${name}=${value}`;
      },
    };
    const client = { ip: '127.0.0.1', userAgent: 'test' };
    const { auth } = dependencies;
    const { person } = await unaryCall(auth.getPerson.bind(auth), { personId }, { deadlineMs: 20_000 });
    await dependencies.sessions.begin(response as unknown as Response, required(person), client, 'password');
    return new ApiClient(url, { cookie });
  };
  const stop = async () => {
    await stopListening(server, { lingerMs: 0, graceMs: 1_000 });
    await dependencies.close();
  };
  return { url, dependencies, signIn, stop };
}
