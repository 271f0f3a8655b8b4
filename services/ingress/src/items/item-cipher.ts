import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export const ITEM_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts what is kept of an account's answers, each account under a key of its own (AES-256-GCM, RFC 5869 for the keys). */
export class ItemCipher {
  readonly #sealing: Buffer;
  readonly #masters: readonly Buffer[];

  /** @param masters 32 random bytes each: the first one seals, all of them open, so that keys can be changed over */
  constructor(masters: readonly Buffer[]) {
    const [sealing] = masters;
    if (sealing === undefined || masters.some((master) => master.length !== ITEM_KEY_BYTES))
      throw new Error(`an item key has ${ITEM_KEY_BYTES} bytes`);
    this.#sealing = sealing;
    this.#masters = masters;
  }

  /** Base64 of nonce, tag and ciphertext. Only the same account and id open it. */
  seal(accountId: string, id: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', keyOf(this.#sealing, accountId), nonce).setAAD(Buffer.from(id));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Undefined when it was not sealed for this account and id, or with a master key that is not among these. */
  open(accountId: string, id: string, sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    for (const master of this.#masters) {
      const text = openWith(keyOf(master, accountId), id, bytes);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

function openWith(key: Buffer, id: string, bytes: Buffer): string | undefined {
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

function keyOf(master: Buffer, accountId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', `tollgate item ${accountId}`, ITEM_KEY_BYTES));
}
