import { findFreePort, findRedisServer, startRedisServer, startWatchdog } from '@tollgate/local';

/** A Redis for one test alone, to be killed and started under what is tested. It keeps its port, and no data. */
export interface OwnRedis {
  url: string;
  kill: () => Promise<void>;
  /** Starts it again, empty; nothing when it runs. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

/** @throws Error where there is no `redis-server` on PATH */
export async function startRedis(): Promise<OwnRedis> {
  const program = findRedisServer();
  if (program === undefined) throw new Error('this test needs a redis-server program on PATH');
  const watchdog = startWatchdog();
  const port = await findFreePort();
  const begin = () => startRedisServer({ program, watchdog, port });
  let server = await begin();
  return {
    url: server.url,
    kill: async () => {
      server.child.kill('SIGKILL');
      await server.child.ended;
    },
    start: async () => {
      if (server.child.hasEnded()) server = await begin();
    },
    stop: async () => {
      await server.child.stop(5_000);
      await watchdog.close();
    },
  };
}
