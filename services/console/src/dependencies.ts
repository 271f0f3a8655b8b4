import { createGrpcClient } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Logger } from '@tollgate/common/logging';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { RouterServiceClient } from '@tollgate/proto/router';
import { ActorTokens } from './actors/actor-tokens.ts';
import type { ConsoleConfig } from './config.ts';
import { ExportSender } from './export/send-export.ts';
import { PlaygroundKeys } from './playground/playground-keys.ts';
import { Sessions } from './sessions/sessions.ts';

/** Everything the handlers and jobs work with, created once at start. */
export interface Dependencies {
  config: ConsoleConfig;
  logger: Logger;
  pool: Pool;
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  router: RouterServiceClient;
  actors: ActorTokens;
  sessions: Sessions;
  exports: ExportSender;
  playgroundKeys: PlaygroundKeys;
}

/** The dependencies of a process, and how they are closed. */
export interface ManagedDependencies extends Dependencies {
  close: () => Promise<void>;
}

/** Creates the dependencies. Nothing connects yet. */
export function createDependencies(config: ConsoleConfig, logger: Logger): ManagedDependencies {
  const tls = grpcTls(config);
  const auth = createGrpcClient(AuthServiceClient, config.AUTH_ADDRESS, tls);
  const ledger = createGrpcClient(LedgerServiceClient, config.LEDGER_ADDRESS, tls);
  const router = createGrpcClient(RouterServiceClient, config.ROUTER_ADDRESS, tls);
  const pool = createPool(
    { url: config.DATABASE_URL, size: config.DATABASE_POOL_SIZE, applicationName: 'tollgate-console' },
    logger,
  );
  const actors = new ActorTokens(auth);
  const playgroundKeys = new PlaygroundKeys({
    auth,
    tokens: {
      tokenOf: (session, accountId) => actors.ofSession(session, accountId),
      forget: (sessionId) => actors.forget(sessionId),
    },
    logger,
  });
  return {
    config,
    logger,
    pool,
    auth,
    ledger,
    router,
    actors,
    sessions: new Sessions(pool, config.CONSOLE_URL),
    exports: new ExportSender(logger),
    playgroundKeys,
    close: async () => {
      await playgroundKeys.close();
      for (const client of [auth, ledger, router]) client.close();
      await pool.end();
    },
  };
}
