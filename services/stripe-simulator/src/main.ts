import { listen, stopListening } from '@tollgate/common/http-server';
import { runMain } from '@tollgate/common/run-main';
import { stopOnSignal } from '@tollgate/common/shutdown';
import { readConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { createServer } from './server.ts';

runMain('stripe-simulator', readConfig, async (config, logger) => {
  const { WEBHOOK_URL, WEBHOOK_SECRET } = config;
  const dependencies = createDependencies({
    secretKey: config.STRIPE_KEY,
    webhook:
      WEBHOOK_URL === undefined || WEBHOOK_SECRET === undefined
        ? undefined
        : { url: WEBHOOK_URL, secret: WEBHOOK_SECRET },
    hasControl: config.CONTROL,
    onError: (error) => logger.error({ err: error }, 'a call failed'),
  });
  const server = createServer(dependencies);
  const port = await listen(server, config.LISTEN_HOST, config.PORT);
  const host = ['0.0.0.0', '::'].includes(config.LISTEN_HOST) ? 'localhost' : config.LISTEN_HOST;
  dependencies.world.origin = new URL(config.PUBLIC_URL ?? `http://${host}:${port}`).origin;
  logger.info({ port }, 'listening');
  const lingerMs = config.SHUTDOWN_LINGER_MS;
  const graceMs = (config.SHUTDOWN_GRACE_MS - lingerMs) * 0.9;
  stopOnSignal(logger, config.SHUTDOWN_GRACE_MS, [
    { name: 'http', run: () => stopListening(server, { lingerMs, graceMs }) },
    { name: 'webhooks', run: () => dependencies.outbox.stop() },
  ]);
});
