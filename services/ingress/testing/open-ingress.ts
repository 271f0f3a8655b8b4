import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { vi } from 'vitest';
import { KeyAuthenticator, type KeyAuthenticatorOptions } from '../src/edge/authenticate/key-authenticator.ts';
import type { KeySource } from '../src/edge/authenticate/key-resolver.ts';
import type { AuthenticationResult } from '../src/edge/authenticate/result.ts';
import { RevocationWatch } from '../src/edge/authenticate/revocation-watch.ts';
import { UnknownKeyLimiter } from '../src/edge/authenticate/unknown-key-limiter.ts';

const silent = createLogger('test', 'silent');

/** How long an ingress of these tests waits for Redis: longer than a busy machine may stall. */
export const REDIS_TIMEOUT_MS = 2_000;

/** The parts of an ingress that authenticate keys. */
export interface Ingress {
  watch: RevocationWatch;
  authenticator: KeyAuthenticator;
  redis: RedisClient;
  /** Its calls of auth, whose responses a test can delay. */
  authCalls: HeldResponses;
  close: () => Promise<void>;
}

export interface IngressAddresses {
  redisUrl: string;
  /** The auth that streams changes. */
  watchAddress: string;
  /** The auth that resolves keys. */
  resolveAddress: string;
}

/** Opens them against real services. Resolves once they are connected. */
export async function openIngress(
  { redisUrl, watchAddress, resolveAddress }: IngressAddresses,
  options: Partial<KeyAuthenticatorOptions> = {},
): Promise<Ingress> {
  const clients = [
    createGrpcClient(AuthServiceClient, watchAddress),
    createGrpcClient(AuthServiceClient, resolveAddress),
  ] as const;
  const redis = createRedis({ url: redisUrl, connectionName: 'test', commandTimeoutMs: REDIS_TIMEOUT_MS }, silent);
  const watch = new RevocationWatch({ auth: clients[0], watcherId: newId(), ingressName: 'test', logger: silent });
  watch.start();
  const authCalls = new HeldResponses(clients[1]);
  const authenticator = new KeyAuthenticator({
    auth: authCalls,
    redis,
    revocations: watch,
    unknownKeys: new UnknownKeyLimiter({ burst: 0, now: options.now ?? (() => performance.now()) }),
    serviceName: 'tollgate',
    logger: silent,
    ...options,
  });
  const close = async () => {
    authCalls.release();
    await watch.stop();
    redis.disconnect();
    for (const client of clients) client.close();
  };
  await vi.waitFor(
    () => {
      if (!watch.ready || redis.status !== 'ready') throw new Error('it is not connected yet');
    },
    { timeout: 30_000, interval: 5 },
  );
  return { watch, authenticator, redis, authCalls, close };
}

/** Authenticates a key by its text, as a request of an unknown network does. */
export async function authenticateText(authenticator: KeyAuthenticator, text: string): Promise<AuthenticationResult> {
  return authenticator.authenticate(authenticator.identify(text), () => 'unknown');
}

/** Calls auth immediately, but withholds the responses of calls made between `hold` and `release`. */
export class HeldResponses implements KeySource {
  readonly #auth: KeySource;
  #holding = false;
  #held: (() => void)[] = [];
  /** Number of calls. */
  count = 0;

  constructor(auth: KeySource) {
    this.#auth = auth;
  }

  /** Responses that have arrived and are withheld. */
  get waiting(): number {
    return this.#held.length;
  }

  /** Withholds responses of calls made from now on. */
  hold(): void {
    this.#holding = true;
  }

  /** Delivers the withheld responses, and later ones immediately. */
  release(): void {
    this.#holding = false;
    for (const deliver of this.#held.splice(0)) deliver();
  }

  readonly resolveKey: KeySource['resolveKey'] = (request, metadata, options, callback) => {
    this.count += 1;
    const held = this.#holding;
    return this.#auth.resolveKey(request, metadata, options, (error, response) => {
      if (held && this.#holding) this.#held.push(() => callback(error, response));
      else callback(error, response);
    });
  };
}
