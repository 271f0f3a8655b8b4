import { createGrpcClient } from '@tollgate/common/grpc/client';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { type Config, configSchema } from '../config.ts';
import { type LedgerServer, startLedgerServer } from '../server.ts';
import { createLedger, type LedgerFixture, silent } from './ledger-fixture.ts';

export interface ServedLedger extends LedgerFixture {
  server: LedgerServer;
  client: LedgerServiceClient;
}

/** An empty ledger behind a gRPC server, with a client of it; settings may be beyond what a ledger takes elsewhere. */
export async function serveLedger(settings: Partial<Config> = {}): Promise<ServedLedger> {
  const ledger = await createLedger();
  const env = { DATABASE_URL: ledger.url, GRPC_PORT: 0, LISTEN_HOST: '127.0.0.1' };
  const config = { ...configSchema.parse(env), ...settings };
  const server = await startLedgerServer(ledger.pool, config, silent);
  const client = createGrpcClient(LedgerServiceClient, `127.0.0.1:${server.port}`);
  return {
    ...ledger,
    server,
    client,
    drop: async () => {
      client.close();
      server.drainStreams();
      await server.stop(2_000);
      await ledger.drop();
    },
  };
}
