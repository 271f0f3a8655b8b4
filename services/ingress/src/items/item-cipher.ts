import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export const ITEM_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts what is kept of an account's answers, each account under a key of its own (AES-256-GCM, RFC 5869 for the keys). */
export class ItemCipher {
  readonly #master: Buffer;

  /** @param master 32 random bytes */
  constructor(master: Buffer) {
    if (master.length !== ITEM_KEY_BYTES) throw new Error(`an item key has ${ITEM_KEY_BYTES} bytes`);
    this.#master = master;
  }

  /** Base64 of nonce, tag and ciphertext. Only the same account and id open it. */
  seal(accountId: string, id: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(accountId), nonce).setAAD(Buffer.from(id));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Undefined when it was not sealed for this account and id, or with another master key. */
  open(accountId: string, id: string, sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(accountId), nonce)
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  #keyOf(accountId: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#master, '', `tollgate item ${accountId}`, ITEM_KEY_BYTES));
  }
}
