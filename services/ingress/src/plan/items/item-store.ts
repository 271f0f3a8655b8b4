import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { RedisClient } from '@tollgate/common/redis/client';
import { ITEM_KEY_BYTES } from '../../config.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts stored items of responses, with a separate key per account (AES-256-GCM, keys derived by HKDF, RFC 5869). */
export class ItemCipher {
  readonly #encrypting: Buffer;
  readonly #masters: readonly Buffer[];

  /** @param masters keys of 32 random bytes: the first one encrypts, all of them decrypt, so that keys can be rotated */
  constructor(masters: readonly Buffer[]) {
    const [encrypting] = masters;
    if (encrypting === undefined || masters.some((master) => master.length !== ITEM_KEY_BYTES))
      throw new Error(`an item key must have ${ITEM_KEY_BYTES} bytes`);
    this.#encrypting = encrypting;
    this.#masters = masters;
  }

  /** Base64 of nonce, tag and ciphertext. Only the same account and id can decrypt it. */
  encrypt(accountId: string, id: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', accountKey(this.#encrypting, accountId), nonce).setAAD(
      Buffer.from(id),
    );
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** Undefined when it was not encrypted for this account and id, or with none of these keys. */
  decrypt(accountId: string, id: string, encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    for (const master of this.#masters) {
      const text = decryptWith(accountKey(master, accountId), id, bytes);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function decryptWith(key: Buffer, id: string, bytes: Buffer): string | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    .setAAD(Buffer.from(id))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function accountKey(master: Buffer, accountId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `tollgate item ${accountId}`, ITEM_KEY_BYTES));
}

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
