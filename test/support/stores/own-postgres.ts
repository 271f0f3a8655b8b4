import { findFreePort, startPostgresServer, startWatchdog } from '@tollgate/local';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** A Postgres for one test, which may stop and restart it. Keeps its port and data. */
export interface OwnPostgres {
  url: string;
  /** Ends it like a crash. */
  kill: () => Promise<void>;
  /** Starts it again on the same data, unless it runs. */
  start: () => Promise<void>;
  /** Stops it and removes its data. */
  stop: () => Promise<void>;
}

/** Starts an embedded Postgres that syncs to disk like a real one. */
export async function startPostgres(): Promise<OwnPostgres> {
  const folder = makeTemporaryFolder();
  const watchdog = startWatchdog();
  const port = await findFreePort();
  const begin = () => startPostgresServer({ folder: folder.path, durable: true, watchdog, port });
  let server = await begin();
  return {
    url: server.url,
    kill: async () => {
      // Immediate shutdown: without checkpoint or notice to clients, and without leaving processes.
      server.child.kill('SIGQUIT');
      await server.child.ended;
    },
    start: async () => {
      if (server.child.hasEnded()) server = await begin();
    },
    stop: async () => {
      await server.child.stop(10_000);
      await watchdog.close();
      folder.remove();
    },
  };
}
