import { runService } from '@tollgate/common/grpc/service';
import { readConfig } from './config.ts';
import { createDependencies } from './dependencies.ts';
import { createServer } from './server.ts';

runService('payments', readConfig, (config, logger, health) =>
  createServer(createDependencies(config, logger), health),
);
