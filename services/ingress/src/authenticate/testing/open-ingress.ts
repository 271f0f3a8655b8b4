import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { vi } from 'vitest';
import { KeyAuthenticator, type KeyAuthenticatorOptions } from '../key-authenticator.ts';
import type { KeySource } from '../key-resolver.ts';
import { RevocationWatch } from '../revocation-watch.ts';

const silent = createLogger('test', 'silent');

/** How long an ingress of these tests waits for Redis: longer than a busy machine stands still. */
export const REDIS_TIMEOUT_MS = 2_000;

/** What an ingress has for authenticating. */
export interface Ingress {
  watch: RevocationWatch;
  authenticator: KeyAuthenticator;
  redis: RedisClient;
  /** The way its questions about keys take. */
  questions: HeldAnswers;
  close: () => Promise<void>;
}

export interface IngressAddresses {
  redisUrl: string;
  /** Where changes are told, and where keys are asked for. */
  watched: string;
  asked: string;
}

/** Opens what an ingress has for authenticating, against real services. Resolves once it is connected. */
export async function openIngress(
  { redisUrl, watched, asked }: IngressAddresses,
  options: Partial<KeyAuthenticatorOptions> = {},
): Promise<Ingress> {
  const clients = [createGrpcClient(AuthServiceClient, watched), createGrpcClient(AuthServiceClient, asked)] as const;
  const redis = createRedis({ url: redisUrl, connectionName: 'test', commandTimeoutMs: REDIS_TIMEOUT_MS }, silent);
  const watch = new RevocationWatch({ auth: clients[0], watcherId: newId(), logger: silent });
  watch.start();
  const questions = new HeldAnswers(clients[1]);
  const authenticator = new KeyAuthenticator({
    auth: questions,
    redis,
    revocations: watch,
    serviceName: 'tollgate',
    logger: silent,
    ...options,
  });
  const close = async () => {
    questions.release();
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
  return { watch, authenticator, redis, questions, close };
}

/** Passes questions on to auth at once, and the answers to those asked meanwhile only when they are released. */
export class HeldAnswers implements KeySource {
  readonly #auth: KeySource;
  #holding = false;
  #held: (() => void)[] = [];
  /** Questions passed on, and answers that have come and wait. */
  asked = 0;

  constructor(auth: KeySource) {
    this.#auth = auth;
  }

  get waiting(): number {
    return this.#held.length;
  }

  /** From now on answers wait. */
  hold(): void {
    this.#holding = true;
  }

  /** Gives all answers that wait, and later ones at once. */
  release(): void {
    this.#holding = false;
    for (const give of this.#held.splice(0)) give();
  }

  readonly resolveKey: KeySource['resolveKey'] = (request, metadata, options, callback) => {
    this.asked += 1;
    const held = this.#holding;
    return this.#auth.resolveKey(request, metadata, options, (error, response) => {
      if (held && this.#holding) this.#held.push(() => callback(error, response));
      else callback(error, response);
    });
  };
}
