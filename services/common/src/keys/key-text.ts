import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fromBase62, isBase62, randomBase62, toBase62 } from './base62.ts';

/** Characters of the account tag in a key. */
export const TAG_LENGTH = 6;
const SECRET_LENGTH = 32;
/** 62^6 is above 2^32, so six digits hold every CRC-32. */
const CHECKSUM_LENGTH = 6;
const BODY_LENGTH = TAG_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH;
const LAST_SHOWN = 4;

/** Maximum length of a text that is checked as a key. */
export const MAX_KEY_LENGTH = 200;

/** A new key. Only `sha256`, `displayPrefix` and `lastFour` may be stored. */
export interface NewKey {
  /** The full key, shown once. */
  text: string;
  sha256: Buffer;
  /** The part that may be shown: everything before the secret. */
  displayPrefix: string;
  lastFour: string;
}

/** The prefix of every key of a service. */
export function keyPrefix(serviceName: string): string {
  return `sk-${serviceName}-`;
}

/** Creates the random tag of an account: six base62 characters. */
export function newAccountTag(random: (size: number) => Buffer = randomBytes): string {
  return randomBase62(TAG_LENGTH, random);
}

/** Creates a key of an account: `sk-<service>-<account tag><secret><checksum>`, with 190 random bits in its secret. */
export function newKey(
  serviceName: string,
  accountTag: string,
  random: (size: number) => Buffer = randomBytes,
): NewKey {
  return newValue(keyPrefix(serviceName) + accountTag, random);
}

/** The prefix of every management key of a service. */
function managementKeyPrefix(serviceName: string): string {
  return `mk-${serviceName}-`;
}

/** Creates a key for programs that manage accounts: `mk-<service>-<secret><checksum>`. No ingress accepts it. */
export function newManagementKey(serviceName: string, random: (size: number) => Buffer = randomBytes): NewKey {
  return newValue(managementKeyPrefix(serviceName), random);
}

/** Whether a text can be a management key of a service, by its format and checksum. */
export function isManagementKey(serviceName: string, text: string): boolean {
  return isChecked(text, managementKeyPrefix(serviceName), SECRET_LENGTH + CHECKSUM_LENGTH);
}

function newValue(displayPrefix: string, random: (size: number) => Buffer): NewKey {
  const unchecked = displayPrefix + randomBase62(SECRET_LENGTH, random);
  const text = unchecked + toBase62(crc32(unchecked), CHECKSUM_LENGTH);
  return { text, sha256: hash('sha256', text, 'buffer'), displayPrefix, lastFour: text.slice(-LAST_SHOWN) };
}

/** Whether a text is a prefix and so many base62 characters. The last ones are the checksum of the others. */
function isChecked(text: string, prefix: string, bodyLength: number): boolean {
  if (text.length > MAX_KEY_LENGTH || text.length !== prefix.length + bodyLength || !text.startsWith(prefix))
    return false;
  if (!isBase62(text, prefix.length, text.length)) return false;
  const end = text.length - CHECKSUM_LENGTH;
  return fromBase62(text, end, text.length) === crc32(text.slice(0, end));
}

/**
 * Reads the account tag from a key after checking its format and checksum, without any store.
 *
 * @param prefix as returned by `keyPrefix`
 * @returns undefined for anything that cannot be a key of this service
 */
export function accountTagOf(prefix: string, text: string): string | undefined {
  if (!isChecked(text, prefix, BODY_LENGTH)) return undefined;
  return text.slice(prefix.length, prefix.length + TAG_LENGTH);
}

/** SHA-256 of a key's text in hex, which identifies it in caches. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Whether a text can be an account tag, and so may be part of the name of a Redis entry. */
export function isAccountTag(text: string): boolean {
  return text.length === TAG_LENGTH && isBase62(text, 0, TAG_LENGTH);
}
