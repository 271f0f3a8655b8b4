import { runService } from '@tollgate/common/grpc/service';
import { readConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { createServer } from './server.ts';

runService('router', readConfig, async (config, logger, health) =>
  createServer(await createDependencies(config, logger), health),
);
