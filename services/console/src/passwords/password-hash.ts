import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** By OWASP's recommendation: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Hashes that are costlier than these are not computed: they are not ours. */
const MAX_MEMORY_KIB = 262_144;
const MAX_PASSES = 10;
const MAX_LANES = 8;

/** The hash of no known password, with the parameters of new hashes. */
export const PLACEHOLDER_HASH = phcString(Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES));

const deriveKey = promisify(argon2);

/** A PHC string: https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/;

interface Parameters {
  memory: number;
  passes: number;
  parallelism: number;
}

/** Hashes a password with argon2id and a random salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, salt, TAG_BYTES, { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES });
  return phcString(salt, tag);
}

/**
 * Whether a password has this hash.
 *
 * @throws Error when the hash is not one that `hashPassword` or a similar program has made
 */
export async function matchesHash(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, lanes, salt = '', tag = ''] = PHC.exec(hash) ?? [];
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(lanes) };
  const { memory: m, passes: t, parallelism: p } = parameters;
  if (!(m <= MAX_MEMORY_KIB && t <= MAX_PASSES && p <= MAX_LANES))
    throw new Error('a stored password hash is not usable');
  const expected = Buffer.from(tag, 'base64');
  const derived = await derive(password, Buffer.from(salt, 'base64'), expected.length, parameters);
  return timingSafeEqual(derived, expected);
}

/** The same characters may be typed in several Unicode forms. */
function derive(password: string, nonce: Buffer, tagLength: number, parameters: Parameters): Promise<Buffer> {
  return deriveKey('argon2id', { message: password.normalize('NFC'), nonce, tagLength, ...parameters });
}

function phcString(salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
