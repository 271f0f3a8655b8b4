import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@tollgate/local';
import { type Simulator, type SimulatorOptions, startSimulator } from '@tollgate/simulator/testing/start-simulator';
import OpenAI from 'openai';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { Accounts } from './accounts.ts';
import { testCatalogue } from './catalogue.ts';
import { type HostileUpstream, startHostileUpstream } from './hostile-upstream.ts';
import { send, type WireRequest, type WireResponse } from './http.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';

/** The gateway's credential at the simulated provider. */
export const PROVIDER_KEY = 'provider-key-for-tests';
/** Maximum body size of the tested ingress. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** All services as real processes, and their provider within this one. */
export interface Gateway {
  baseUrl: string;
  stack: Stack;
  simulator: Simulator;
  /** The provider of the models `hostile-…`. */
  hostile: HostileUpstream;
  accounts: Accounts;
  /** The catalogue file, which the router watches. */
  catalogueFile: string;
  /** The official SDK with key and base URL only. */
  openai: (key: string, baseUrl?: string) => OpenAI;
  send: (wire: WireRequest) => Promise<WireResponse>;
  /** POST /v1/chat/completions with a body as JSON. */
  chat: (key: string, body: object) => Promise<WireResponse>;
  stop: () => Promise<void>;
}

export interface GatewayOptions {
  /** Settings for all services. */
  env?: Record<string, string>;
  /** Ingress processes. */
  ingresses?: number;
  /** A separate Postgres instead of the shared one. */
  databaseUrl?: string;
  /** A separate Redis instead of the shared one. */
  redis?: string;
  /** Proxies between processes and in front of Redis. */
  route?: StackOptions['route'];
  /** Settings of the simulated provider. */
  simulator?: Pick<SimulatorOptions, 'promptCache' | 'maxKeptBody'>;
  /** Also runs the console. */
  console?: boolean;
  /** Ledger processes; ingress `i` talks to ledger `i` modulo their number. */
  ledgers?: number;
}

/** Starts everything. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const simulator = await startSimulator({
    host: '127.0.0.1',
    port: 0,
    onError: (error) => process.stderr.write(`simulator: ${String(error)}\n`),
    ...options.simulator,
  });
  const hostile = await startHostileUpstream();
  const folder = makeTemporaryFolder();
  const cleanUp = async () => {
    await simulator.stop(0);
    await hostile.stop();
    folder.remove();
  };
  const deadPort = await findFreePort();
  const catalogue = join(folder.path, 'catalogue.json');
  writeFileSync(
    catalogue,
    testCatalogue({
      simulatorUrl: simulator.url,
      hostileUrl: hostile.url,
      deadUrl: `http://127.0.0.1:${deadPort}`,
    }),
  );
  const stack = await startStack({
    data: join(folder.path, 'data'),
    catalogue,
    ingresses: options.ingresses ?? 1,
    ledgers: options.ledgers ?? 1,
    ...(options.console === true ? { console: {} } : {}),
    quiet: true,
    databaseUrl: options.databaseUrl,
    ...(options.redis === undefined ? {} : { redis: options.redis }),
    route: options.route,
    env: {
      TEST_PROVIDER_KEY: PROVIDER_KEY,
      MAX_BODY_BYTES: String(MAX_BODY_BYTES),
      // Tests look up far more charges than a customer does.
      BILLING_REQUESTS_PER_MINUTE: '60000',
      // And use far more invalid keys.
      UNKNOWN_KEYS_BURST: '10000',
      // The shared Redis is never down, only slow at times on a busy machine.
      ...(options.redis === undefined ? { REDIS_TIMEOUT_MS: '10000' } : {}),
      ...options.env,
    },
  }).catch(async (error: unknown) => {
    await cleanUp();
    throw error;
  });
  const baseUrl = stack.facts.base_url;
  const accounts = new Accounts({ auth: stack.facts.grpc.auth, ledger: stack.facts.grpc.ledger });
  return {
    baseUrl,
    stack,
    simulator,
    hostile,
    accounts,
    catalogueFile: catalogue,
    openai: (key, base = baseUrl) => new OpenAI({ apiKey: key, baseURL: base, maxRetries: 0 }),
    send: (wire) => send(baseUrl, wire),
    chat: (key, body) => send(baseUrl, chatRequest(key, body)),
    stop: async () => {
      accounts.close();
      await stack.stop();
      await cleanUp();
    },
  };
}

/** A chat call with a bearer key. */
export function chatRequest(key: string, body: object | string): WireRequest {
  return {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Messages with one user message. */
export function say(text: string): { role: 'user'; content: string }[] {
  return [{ role: 'user', content: text }];
}

/** Controls of the simulated provider, in an extra field of a request. */
export function simulate(controls: Record<string, unknown>): { simulate: Record<string, unknown> } {
  return { simulate: controls };
}
