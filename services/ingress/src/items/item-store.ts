import type { RedisClient } from '@tollgate/common/redis/client';
import type { ItemCipher } from './item-cipher.ts';

/** Most that is kept of one account in one period; what comes after it is not kept. */
const MAX_ITEMS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Field of a period's hash that counts its bytes. No item has this id. */
const SIZE_FIELD = '~';

/** KEYS: the period's hash. ARGV: most bytes, most items, life in milliseconds, then id and value of each item. */
const KEEP_ITEMS = `
local kept = 0
for i = 4, #ARGV, 2 do
  local size = tonumber(redis.call('HGET', KEYS[1], '${SIZE_FIELD}') or '0') + #ARGV[i] + #ARGV[i + 1]
  if size <= tonumber(ARGV[1]) and redis.call('HLEN', KEYS[1]) <= tonumber(ARGV[2]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1], '${SIZE_FIELD}', tostring(size))
    kept = kept + 1
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return kept
`;

/** An item of an answer, under the id that later requests name it by. */
export interface StoredItem {
  id: string;
  json: string;
}

export interface ItemStoreOptions {
  redis: RedisClient;
  cipher: ItemCipher;
  /** How long an item can be named at least; it is gone after twice that. */
  lifeMs: number;
  /** Unix milliseconds. */
  now: () => number;
}

/**
 * Keeps the items of answers for requests that name them by `item_reference` instead of sending them back: encrypted, for
 * each account apart, for a time, and no more than a bound. Time is cut into periods, each with a hash of its own that
 * dies as a whole.
 */
export class ItemStore {
  readonly #options: ItemStoreOptions;

  constructor(options: ItemStoreOptions) {
    this.#options = options;
  }

  /** Keeps items; how many had room. */
  async keep(accountId: string, items: readonly StoredItem[]): Promise<number> {
    if (items.length === 0) return 0;
    const { redis, cipher, lifeMs } = this.#options;
    const pairs = items.flatMap(({ id, json }) => [id, cipher.seal(accountId, id, json)]);
    const period = this.#period(accountId, 0);
    return Number(await redis.eval(KEEP_ITEMS, 1, period, MAX_BYTES, MAX_ITEMS, 2 * lifeMs, ...pairs));
  }

  /** The items of those ids that are still there, by id. */
  async find(accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const { redis, cipher } = this.#options;
    const found = new Map<string, string>();
    if (ids.length === 0) return found;
    const periods = [this.#period(accountId, -1), this.#period(accountId, 0)];
    const rows = await Promise.all(periods.map((period) => redis.hmget(period, ...ids)));
    for (const row of rows) {
      for (const [i, sealed] of row.entries()) {
        const id = ids[i];
        const json = sealed === null || id === undefined ? undefined : cipher.open(accountId, id, sealed);
        if (id !== undefined && json !== undefined) found.set(id, json);
      }
    }
    return found;
  }

  #period(accountId: string, offset: number): string {
    const { lifeMs, now } = this.#options;
    return `{${accountId}}items:${Math.floor(now() / lifeMs) + offset}`;
  }
}
