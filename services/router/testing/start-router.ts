import { startHealth } from '@tollgate/common/health';
import { createLogger } from '@tollgate/common/logging';
import { ACTOR_SETTINGS } from '@tollgate/common/testing/actors';
import { findFreePort } from '@tollgate/local';
import type { Variables } from '../src/catalogue/parse-in-worker.ts';
import { readConfig } from '../src/config.ts';
import { createDependencies } from '../src/dependencies.ts';
import { createServer } from '../src/server.ts';

/** A real router inside the test's process. */
export interface RouterUnderTest {
  address: string;
  stop: () => Promise<void>;
}

/** Starts a router. Settings are those of the environment. */
export async function startRouter(
  settings: { CATALOGUE_FILE: string },
  variables: Variables = {},
): Promise<RouterUnderTest> {
  const port = await findFreePort();
  const config = readConfig({
    LISTEN_HOST: '127.0.0.1',
    GRPC_PORT: String(port),
    SHUTDOWN_GRACE_MS: '10000',
    ...ACTOR_SETTINGS,
    ...settings,
  });
  const logger = createLogger('test', 'silent');
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT);
  const server = createServer(await createDependencies(config, logger, variables), health);
  await server.start();
  let stopped: Promise<void> | undefined;
  const stopOnce = async () => {
    for (const step of server.stopSteps) await step.run();
  };
  const stop = () => {
    stopped ??= stopOnce();
    return stopped;
  };
  return { address: `127.0.0.1:${port}`, stop };
}
