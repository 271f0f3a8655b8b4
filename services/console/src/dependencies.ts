import { createGrpcClient } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import type { Logger } from '@tollgate/common/logging';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { PaymentsServiceClient } from '@tollgate/proto/payments';
import { RouterServiceClient } from '@tollgate/proto/router';
import { ManagementKeys } from './actors/management-keys.ts';
import { SessionTokens } from './actors/session-tokens.ts';
import type { ConsoleConfig } from './config.ts';
import { DocumentPrinter } from './documents/document-printer.ts';
import { ExportSender } from './export/send-export.ts';
import { RouterReplicas } from './health/router-replicas.ts';
import { createMailer, type Mailer } from './mail/mailer.ts';
import { BrowserFlows } from './oidc/browser-flows.ts';
import { OidcProvider } from './oidc/provider.ts';
import { Passwords } from './passwords/passwords.ts';
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
  /** Undefined without PAYMENTS_ADDRESS. */
  payments: PaymentsServiceClient | undefined;
  routerReplicas: RouterReplicas;
  actors: SessionTokens;
  managementKeys: ManagementKeys;
  sessions: Sessions;
  passwords: Passwords;
  /** Undefined without SMTP_URL: links are shown to copy. */
  mailer: Mailer | undefined;
  /** Undefined without OIDC_ISSUER. */
  oidc: OidcProvider | undefined;
  oidcFlows: BrowserFlows;
  exports: ExportSender;
  printer: DocumentPrinter;
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
  const payments =
    config.PAYMENTS_ADDRESS === undefined
      ? undefined
      : createGrpcClient(PaymentsServiceClient, config.PAYMENTS_ADDRESS, tls);
  const routerReplicas = new RouterReplicas(config.ROUTER_ADDRESS, tls);
  const pool = createPool(
    { url: config.DATABASE_URL, size: config.DATABASE_POOL_SIZE, applicationName: 'tollgate-console' },
    logger,
  );
  const actors = new SessionTokens(auth);
  const mailer =
    config.SMTP_URL === undefined || config.MAIL_FROM === undefined
      ? undefined
      : createMailer({ url: config.SMTP_URL, from: config.MAIL_FROM, logger });
  const playgroundKeys = new PlaygroundKeys({ auth, tokens: actors, logger });
  return {
    config,
    logger,
    pool,
    auth,
    ledger,
    router,
    payments,
    routerReplicas,
    actors,
    managementKeys: new ManagementKeys({ auth, pool }),
    sessions: new Sessions({ pool, auth, consoleUrl: config.CONSOLE_URL }),
    passwords: new Passwords(),
    mailer,
    oidc: createOidcProvider(config),
    oidcFlows: new BrowserFlows(pool, config.CONSOLE_URL),
    exports: new ExportSender(logger),
    printer: new DocumentPrinter(),
    playgroundKeys,
    close: async () => {
      await playgroundKeys.close();
      mailer?.close();
      for (const client of [auth, ledger, router, payments, routerReplicas]) client?.close();
      await pool.end();
    },
  };
}

function createOidcProvider(config: ConsoleConfig): OidcProvider | undefined {
  if (config.OIDC_ISSUER === undefined || config.OIDC_CLIENT_ID === undefined) return undefined;
  return new OidcProvider({
    issuer: config.OIDC_ISSUER,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    redirectUri: `${config.CONSOLE_URL}/oidc/callback`,
  });
}
