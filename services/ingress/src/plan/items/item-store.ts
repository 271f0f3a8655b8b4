import type { RedisClient } from '@tollgate/common/redis/client';
import type { ItemCipher } from './item-cipher.ts';

/** Maximum stored per account and period; further items are not stored. */
const MAX_ITEMS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Field of a period's hash with its size in bytes. No item has this id. */
const SIZE_FIELD = '~';

/** KEYS: the period's hash. ARGV: maximum bytes, maximum items, TTL in milliseconds, then id and value of each item. */
const STORE_ITEMS = `
local stored = 0
for i = 4, #ARGV, 2 do
  local size = tonumber(redis.call('HGET', KEYS[1], '${SIZE_FIELD}') or '0') + #ARGV[i] + #ARGV[i + 1]
  if size <= tonumber(ARGV[1]) and redis.call('HLEN', KEYS[1]) <= tonumber(ARGV[2]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1], '${SIZE_FIELD}', tostring(size))
    stored = stored + 1
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return stored
`;

/** An item of a response, with the id that later requests refer to. */
export interface StoredItem {
  id: string;
  json: string;
}

export interface ItemStoreOptions {
  redis: RedisClient;
  cipher: ItemCipher;
  /** How long an item can be referred to at least; it is deleted after twice that. */
  ttlMs: number;
  /** Unix milliseconds. */
  now: () => number;
}

/**
 * Stores items of responses for requests that refer to them by `item_reference` instead of sending them back: encrypted,
 * per account, expiring and limited in size. Time is divided into periods, each with one hash that expires.
 */
export class ItemStore {
  readonly #options: ItemStoreOptions;

  constructor(options: ItemStoreOptions) {
    this.#options = options;
  }

  /** Stores items. @returns how many fit */
  async store(accountId: string, items: readonly StoredItem[]): Promise<number> {
    if (items.length === 0) return 0;
    const { redis, cipher, ttlMs } = this.#options;
    const pairs = items.flatMap(({ id, json }) => [id, cipher.encrypt(accountId, id, json)]);
    const period = this.#period(accountId, 0);
    return Number(await redis.eval(STORE_ITEMS, 1, period, MAX_BYTES, MAX_ITEMS, 2 * ttlMs, ...pairs));
  }

  /** The stored items with these ids, by id. */
  async find(accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const { redis, cipher } = this.#options;
    const found = new Map<string, string>();
    if (ids.length === 0) return found;
    const periods = [this.#period(accountId, -1), this.#period(accountId, 0)];
    const rows = await Promise.all(periods.map((period) => redis.hmget(period, ...ids)));
    for (const row of rows) {
      for (const [i, encrypted] of row.entries()) {
        const id = ids[i];
        const json = encrypted === null || id === undefined ? undefined : cipher.decrypt(accountId, id, encrypted);
        if (id !== undefined && json !== undefined) found.set(id, json);
      }
    }
    return found;
  }

  #period(accountId: string, offset: number): string {
    const { ttlMs, now } = this.#options;
    return `{${accountId}}items:${Math.floor(now() / ttlMs) + offset}`;
  }
}
