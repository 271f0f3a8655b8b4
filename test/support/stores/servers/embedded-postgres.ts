import { startPostgresServer, startWatchdog } from '@tollgate/local';
import { makeTemporaryFolder } from '../../temporary-folder.ts';
import { POSTGRES_MAX_CONNECTIONS, type Server } from './types.ts';

/** The Postgres from npm, with temporary data. */
export async function embeddedPostgres(): Promise<Server> {
  const folder = makeTemporaryFolder();
  const watchdog = startWatchdog();
  const remove = async () => {
    await watchdog.close();
    folder.remove();
  };
  try {
    const server = await startPostgresServer({
      folder: folder.path,
      durable: false,
      maxConnections: POSTGRES_MAX_CONNECTIONS,
      watchdog,
    });
    return {
      url: server.url,
      origin: `embedded ${server.version}`,
      stop: async () => {
        await server.child.stop(10_000);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
