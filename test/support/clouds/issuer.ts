import { randomBytes } from 'node:crypto';

/** A short-lived credential that a cloud issued. */
export interface Issued {
  id: string;
  secret: string;
  atMs: number;
  untilMs: number;
}

/** The credentials of one cloud: issues new ones that are valid for a time, and can refuse to. */
export class Issuer {
  readonly issued: Issued[] = [];
  lifeMs = 3_600_000;
  /** Whether it answers at all. */
  isUp = true;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  issue(): Issued {
    const atMs = Date.now();
    const id = `${this.#name}${this.issued.length}${randomBytes(6).toString('hex').toUpperCase()}`;
    const credential = { id, secret: randomBytes(24).toString('base64url'), atMs, untilMs: atMs + this.lifeMs };
    this.issued.push(credential);
    return credential;
  }

  valid(id: string): Issued | undefined {
    return this.issued.find((credential) => credential.id === id && Date.now() < credential.untilMs);
  }

  /** Ends the validity of everything issued, as when it is revoked. */
  revoke(): void {
    for (const credential of this.issued) credential.untilMs = 0;
  }
}
