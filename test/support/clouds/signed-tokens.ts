import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { parse } from '../gateway/http.ts';
import { at } from '../gateway/json.ts';

/** Signs JSON Web Tokens with a key of its own, as a cluster does for service accounts, or a service account itself. */
export class TokenSigner {
  readonly issuer: string;
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  /** The private key in PEM. */
  get privateKey(): string {
    return this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  }

  /** A token for an audience. */
  sign(audience: string, lifeMs: number): string {
    const issued = Math.floor(Date.now() / 1_000);
    const claims = { iss: this.issuer, aud: audience, iat: issued, exp: issued + lifeMs / 1_000 };
    const text = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) => encoded(JSON.stringify(part))).join('.');
    return `${text}.${sign('sha256', Buffer.from(text), this.#keys.privateKey).toString('base64url')}`;
  }

  /** @returns what is wrong with a token; undefined for a valid one */
  problem(token: string | undefined, expected: Readonly<Record<string, unknown>>): string | undefined {
    const [head = '', body = '', signature = ''] = token?.split('.') ?? [];
    const signed = Buffer.from(`${head}.${body}`);
    if (!verify('sha256', signed, this.#keys.publicKey, Buffer.from(signature, 'base64url'))) return 'wrong signature';
    const claims = parse(Buffer.from(body, 'base64url').toString());
    if (!(Number(at(claims, 'exp')) * 1_000 > Date.now())) return 'expired';
    const wanted = Object.entries({ iss: this.issuer, ...expected });
    const wrong = wanted.find(([claim, value]) => at(claims, claim) !== value);
    return wrong && `the claim ${wrong[0]} is ${at(claims, wrong[0])}`;
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}
