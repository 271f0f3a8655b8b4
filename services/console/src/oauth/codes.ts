import { randomBytes, randomInt } from 'node:crypto';
import { hashOfSecret } from '@tollgate/common/secret-links';

/** Easy to read and type, and without vowels, so that no words come about: https://www.rfc-editor.org/rfc/rfc8628#section-6.1 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** A code that a person types, such as `WDJB-MJHT`: one of 25 billion. */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

export function newDeviceCode(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a code. Case and other characters of what a person types do not matter. */
export function hashOfUserCode(text: string): Buffer {
  return hashOfSecret(text.toUpperCase().replace(/[^A-Z]/g, ''));
}
