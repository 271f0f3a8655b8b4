import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Stack, startStack, waitUntil } from '@tollgate/local';
import { Accounts } from '@tollgate/test-support/gateway/accounts';
import { startRedis } from '@tollgate/test-support/stores/own-redis';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { credentials, fuzzCatalogue, modelOf } from './catalogue.ts';
import { REPORTING } from './memory.ts';

export interface System {
  stack: Stack;
  accounts: Accounts;
  stop: () => Promise<void>;
}

/** Starts all services as real processes, with their own Postgres and Redis. */
export async function startSystem(
  upstreamUrl: string,
  onLine: (service: string, line: string) => void,
): Promise<System> {
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const redis = await startRedis();
    stops.push(redis.stop);
    const folder = makeTemporaryFolder();
    stops.push(folder.remove);
    const catalogue = join(folder.path, 'catalogue.json');
    writeFileSync(catalogue, fuzzCatalogue(upstreamUrl));
    const stack = await startStack(
      {
        data: join(folder.path, 'data'),
        catalogue,
        redis: redis.url,
        quiet: true,
        env: {
          ...credentials(),
          NODE_OPTIONS: REPORTING,
          // Rate limits are tested elsewhere.
          UNKNOWN_KEYS_BURST: '0',
          BILLING_REQUESTS_PER_MINUTE: '1000000',
          REDIS_TIMEOUT_MS: '10000',
          MAX_BODY_BYTES: String(2 * 1024 * 1024),
        },
      },
      { onStep: () => undefined, onLine },
    );
    stops.push(stack.stop);
    const accounts = new Accounts({ auth: stack.facts.grpc.auth, ledger: stack.facts.grpc.ledger });
    stops.push(() => accounts.close());
    return { stack, accounts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Waits until the ingress has credit for a key's account, which may take longer on a busy machine than requests wait.
 */
export async function waitForCredit(baseUrl: string, key: string): Promise<void> {
  const has = async () => {
    const { status } = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: modelOf(0, 'openai-chat'),
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: 16,
      }),
    });
    return status !== 503;
  };
  await waitUntil(has, { what: 'the first credit', timeoutMs: 30_000 });
}
