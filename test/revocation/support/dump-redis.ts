import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@tollgate/local';
import { type RedisServerProcess, startRedisServerWith } from '@tollgate/test-support/stores/redis-server';
import { makeTemporaryFolder, type TemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { Redis } from 'ioredis';
import type { Disturbances } from './disturbances.ts';

/** The file that Redis saves to and starts from. */
const FILE = 'dump.rdb';

/** A Redis that is emptied, restarted, and reset to earlier content. It keeps its port. */
export class DumpRedis {
  readonly url: string;
  readonly #folder: TemporaryFolder;
  readonly #port: number;
  readonly #disturbances: Disturbances;
  #server: RedisServerProcess | undefined;
  /** The test's own client, which bypasses all links. */
  #client: Redis | undefined;
  #dumps = 0;

  private constructor(folder: TemporaryFolder, port: number, disturbances: Disturbances) {
    this.#folder = folder;
    this.#port = port;
    this.#disturbances = disturbances;
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async start(disturbances: Disturbances): Promise<DumpRedis> {
    const redis = new DumpRedis(makeTemporaryFolder(), await findFreePort(), disturbances);
    await redis.#start(undefined);
    return redis;
  }

  /** Its own client. @throws Error while it is down */
  get client(): Redis {
    if (this.#client === undefined) throw new Error('Redis is down');
    return this.#client;
  }

  async flush(): Promise<void> {
    await this.client.flushall();
    this.#disturbances.flushes += 1;
  }

  /** Saves its content. @returns the name of the dump */
  async save(): Promise<string> {
    await this.client.save();
    this.#dumps += 1;
    const name = `old-${this.#dumps}.rdb`;
    copyFileSync(join(this.#folder.path, FILE), join(this.#folder.path, name));
    return name;
  }

  /** Kills and restarts it, empty or with a dump. @param downMs minimum downtime */
  async restart(downMs: number, dump?: string): Promise<void> {
    const over = this.#disturbances.begin('redis', 'restarted');
    try {
      await this.#kill();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      // Recorded before the start, because clients read from it immediately.
      if (dump !== undefined) this.#disturbances.restores.push(performance.now());
      await this.#start(dump);
    } finally {
      over();
    }
  }

  async stop(): Promise<void> {
    await this.#kill();
    this.#folder.remove();
  }

  async #start(dump: string | undefined): Promise<void> {
    const place = join(this.#folder.path, FILE);
    if (dump === undefined) rmSync(place, { force: true });
    else copyFileSync(join(this.#folder.path, dump), place);
    const args = ['--maxmemory-policy', 'noeviction'];
    this.#server = await startRedisServerWith({ port: this.#port, folder: this.#folder.path, args });
    const client = new Redis(this.url, { retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => undefined);
    await client.connect();
    this.#client = client;
  }

  async #kill(): Promise<void> {
    this.#client?.disconnect();
    this.#client = undefined;
    await this.#server?.kill();
    this.#server = undefined;
  }
}
