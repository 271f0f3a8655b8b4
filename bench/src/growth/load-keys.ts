import { newId } from '@tollgate/common/ids';
import { type CachedKey, KeyCache, newKey, sha256Hex } from '@tollgate/common/keys/index';
import { createLogger } from '@tollgate/common/logging';
import { runPipeline } from '@tollgate/common/postgres/pipeline';
import { createPool, inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { createRedis, type RedisClient } from '@tollgate/common/redis/client';
import { cachedKey } from '@tollgate/common/testing/cached-key';

/** Rows of one COPY. */
const BATCH = 50_000;
/** Records of Redis that are written at the same time. */
const WRITES_AT_ONCE = 1_000;
const STATEMENT_TIMEOUT_MS = 120_000;
const NAME = 'Benchmark with many keys';
/** `sk-<service>-<account tag>…` */
const PARTS_OF_KEY = /^sk-(.+)-([0-9A-Za-z]{6})[0-9A-Za-z]{38}$/;

const logger = createLogger('bench', 'fatal');

/** An account that gets keys. */
interface Owner {
  accountId: string;
  tag: string;
  service: string;
}

/** A key in the database, with its text. */
export interface LoadedKey {
  text: string;
  keyId: string;
  owner: Owner;
}

/** Stores that keys are loaded into, past the services. */
export class KeyLoader {
  readonly #pool: Pool;
  readonly #redis: RedisClient;
  readonly #owners: readonly Owner[];

  /** @param keys a key of each account that gets more */
  static async open(databaseUrl: string, redisUrl: string, keys: readonly string[]): Promise<KeyLoader> {
    const options = { size: 1, applicationName: 'tollgate-bench', statementTimeoutMs: STATEMENT_TIMEOUT_MS };
    const pool = createPool({ url: databaseUrl, ...options }, logger);
    const redis = createRedis({ url: redisUrl, connectionName: 'tollgate-bench', commandTimeoutMs: 10_000 }, logger);
    await new Promise((resolve, reject) => redis.once('ready', resolve).once('error', reject));
    return new KeyLoader(pool, redis, await Promise.all(keys.map((key) => ownerOf(pool, key))));
  }

  private constructor(pool: Pool, redis: RedisClient, owners: readonly Owner[]) {
    this.#pool = pool;
    this.#redis = redis;
    this.#owners = owners;
  }

  /**
   * Inserts so many keys into auth's database, as auth would.
   *
   * @param kept so many of them are returned, evenly chosen
   */
  async insert(count: number, kept: number): Promise<LoadedKey[]> {
    const chosen: LoadedKey[] = [];
    for (let from = 0; from < count; from += BATCH) {
      const lines: string[] = [];
      for (let index = from; index < Math.min(count, from + BATCH); index += 1) {
        const owner = this.#owners[index % this.#owners.length];
        if (owner === undefined) throw new RangeError('there are no owners');
        const { text, sha256, displayPrefix, lastFour } = newKey(owner.service, owner.tag);
        const keyId = newId();
        lines.push(
          `${keyId}\t${owner.accountId}\t${NAME}\t\\\\x${sha256.toString('hex')}\t${displayPrefix}\t${lastFour}`,
        );
        if (isChosen(index, count, kept)) chosen.push({ text, keyId, owner });
      }
      await this.#copy(Buffer.from(`${lines.join('\n')}\n`));
    }
    await this.#pool.query('ANALYZE auth.keys');
    return chosen;
  }

  async #copy(copied: Buffer): Promise<void> {
    const text = 'COPY auth.keys (key_id, account_id, name, key_sha256, display_prefix, last_four) FROM STDIN';
    await inTransaction(this.#pool, (client) =>
      runPipeline(client, [{ name: 'copy-keys', text, values: [], copied, read: () => undefined }]),
    );
  }

  /** Writes the records of keys into Redis, as auth does when it resolves them. They stay for a minute. */
  async resolve(keys: readonly LoadedKey[]): Promise<void> {
    const cache = new KeyCache(this.#redis);
    const readAtMs = Date.now();
    for (let from = 0; from < keys.length; from += WRITES_AT_ONCE) {
      const some = keys.slice(from, from + WRITES_AT_ONCE);
      await Promise.all(some.map((key) => cache.write(sha256Hex(key.text), recordOf(key), readAtMs)));
    }
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
    await this.#pool.end();
  }
}

/** Whether an item is among those that are kept of all, evenly distributed. */
export function isChosen(index: number, count: number, kept: number): boolean {
  return Math.floor(((index + 1) * kept) / count) > Math.floor((index * kept) / count);
}

async function ownerOf(pool: Pool, key: string): Promise<Owner> {
  const [, service, tag] = PARTS_OF_KEY.exec(key) ?? [];
  if (service === undefined || tag === undefined) throw new Error('a key has an unexpected form');
  const { rows } = await pool.query<{ account_id: string }>('SELECT account_id FROM auth.accounts WHERE tag = $1', [
    tag,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('the account of a key is unknown');
  return { accountId: row.account_id, tag, service };
}

function recordOf({ keyId, owner }: LoadedKey): CachedKey {
  return cachedKey({ keyId, keyName: NAME, accountId: owner.accountId, accountTag: owner.tag });
}
