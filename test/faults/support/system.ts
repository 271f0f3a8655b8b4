import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, type Stack, startStack } from '@tollgate/local';
import { startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { Accounts } from '@tollgate/test-support/gateway/accounts';
import { testCatalogue } from '@tollgate/test-support/gateway/catalogue';
import { PROVIDER_KEY } from '@tollgate/test-support/gateway/gateway';
import { startRedis } from '@tollgate/test-support/stores/own-redis';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';

/** All services as real processes, with their own durable Postgres and a real Redis. */
export interface System {
  stack: Stack;
  accounts: Accounts;
  ingresses: { name: string; url: string }[];
  ledgers: string[];
  stop: () => Promise<void>;
}

export interface SystemOptions {
  ingresses: number;
  ledgers: number;
  /** Called with every line of a process's output. */
  onLine: (service: string, line: string) => void;
}

export async function startSystem(options: SystemOptions): Promise<System> {
  const stops: (() => Promise<void> | void)[] = [];
  const stopAll = async () => {
    for (const stop of stops.reverse()) await stop();
  };
  try {
    const redis = await startRedis();
    stops.push(redis.stop);
    const simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: () => undefined });
    stops.push(() => simulator.stop(0));
    const folder = makeTemporaryFolder();
    stops.push(folder.remove);
    const catalogue = join(folder.path, 'catalogue.json');
    const deadUrl = `http://127.0.0.1:${await findFreePort()}`;
    writeFileSync(catalogue, testCatalogue({ simulatorUrl: simulator.url, deadUrl }));
    const stack = await startStack(
      {
        data: join(folder.path, 'data'),
        catalogue,
        ingresses: options.ingresses,
        ledgers: options.ledgers,
        sharedLedgers: true,
        redis: redis.url,
        quiet: true,
        env: { TEST_PROVIDER_KEY: PROVIDER_KEY, BILLING_REQUESTS_PER_MINUTE: '60000' },
      },
      { onStep: () => undefined, onLine: options.onLine },
    );
    stops.push(stack.stop);
    const accounts = new Accounts({ auth: stack.facts.grpc.auth, ledger: stack.facts.grpc.ledger });
    stops.push(() => accounts.close());
    const named = (pattern: RegExp) => Object.keys(stack.facts.pids).filter((name) => pattern.test(name));
    return {
      stack,
      accounts,
      ingresses: stack.facts.base_urls.map((url, index) => ({
        name: index === 0 ? 'ingress' : `ingress-${index + 1}`,
        url,
      })),
      ledgers: named(/^ledger(-\d+)?$/),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
