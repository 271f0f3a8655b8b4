import { createGrpcClient } from '@tollgate/common/grpc/client';
import type { GrpcServer } from '@tollgate/common/grpc/server';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { configSchema, type LedgerConfig } from '../src/config.ts';
import { createDependencies, type Dependencies } from '../src/dependencies.ts';
import { startLedgerServer } from '../src/server.ts';
import { createLedger, type LedgerFixture, silent } from './ledger-fixture.ts';

export interface ServedLedger extends LedgerFixture {
  server: GrpcServer;
  dependencies: Dependencies;
  client: LedgerServiceClient;
}

/** An empty ledger behind a gRPC server, with a client. `settings` are not validated. */
export async function serveLedger(settings: Partial<LedgerConfig> = {}): Promise<ServedLedger> {
  const ledger = await createLedger();
  const env = { DATABASE_URL: ledger.url, GRPC_PORT: 0, LISTEN_HOST: '127.0.0.1' };
  const config = { ...configSchema.parse(env), ...settings };
  const dependencies = createDependencies(config, silent, { pool: ledger.pool });
  const server = await startLedgerServer(dependencies);
  const client = createGrpcClient(LedgerServiceClient, `127.0.0.1:${server.port}`);
  return {
    ...ledger,
    server,
    dependencies,
    client,
    drop: async () => {
      client.close();
      dependencies.streams.drain();
      await server.stop(2_000);
      await ledger.drop();
    },
  };
}
