import { findFreePort } from '@tollgate/local';
import { startOwnRedis } from './servers/find.ts';
import type { Server } from './servers/types.ts';

/** A Redis for one test, which may stop and restart it. Keeps its port, but no data. */
export interface OwnRedis {
  url: string;
  /** Stops it; its data is lost. */
  kill: () => Promise<void>;
  /** Starts it again empty, unless it runs. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

/** @throws Error if no Redis is available */
export async function startRedis(): Promise<OwnRedis> {
  const port = await findFreePort();
  let server: Server | undefined = await startOwnRedis(port);
  const { url } = server;
  const kill = async () => {
    await server?.stop();
    server = undefined;
  };
  const start = async () => {
    server ??= await startOwnRedis(port);
  };
  return { url, kill, start, stop: kill };
}
