import { findFreePort } from '@tollgate/local';
import { startOwnRedis } from './servers/find.ts';
import type { Server } from './servers/types.ts';

/** A Redis for one test alone, to be taken away from under what is tested. It keeps its port, and no data. */
export interface OwnRedis {
  url: string;
  /** Ends it; it takes what it held with it. */
  kill: () => Promise<void>;
  /** Starts it again, empty; nothing when it runs. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

/** @throws Error where no Redis can be had */
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
