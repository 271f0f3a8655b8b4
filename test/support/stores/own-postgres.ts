import { findFreePort, startPostgresServer, startWatchdog } from '@tollgate/local';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** A Postgres for one test alone, to be stopped and started under what is tested. It keeps its port and its data. */
export interface OwnPostgres {
  url: string;
  /** Ends it as a crash does. */
  kill: () => Promise<void>;
  /** Starts it again on the same data; nothing when it runs. */
  start: () => Promise<void>;
  /** Stops it and removes its data. */
  stop: () => Promise<void>;
}

/** Starts an embedded Postgres that writes through to the disk as a real one does. */
export async function startPostgres(): Promise<OwnPostgres> {
  const folder = makeTemporaryFolder();
  const watchdog = startWatchdog();
  const port = await findFreePort();
  const begin = () => startPostgresServer({ folder: folder.path, durable: true, watchdog, port });
  let server = await begin();
  return {
    url: server.url,
    kill: async () => {
      // Immediate shutdown: no checkpoint, no goodbye to clients, and none of its processes left behind.
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
