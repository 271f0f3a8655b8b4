import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
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
