import { createHash, randomBytes } from 'node:crypto';
import type { CallOptions, Metadata, ServiceError } from '@grpc/grpc-js';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { operatorToken } from '@tollgate/common/testing/actors';
import { AuthServiceClient, type Person, Role } from '@tollgate/proto/auth';
import { required } from './auth-under-test.ts';

type Method<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => { cancel: () => void };

/** Calls methods of auth, as in `call((client) => client.getKey.bind(client), request)`. */
export type CallAs = <Request, Response>(
  pick: (client: AuthServiceClient) => Method<Request, Response>,
  request: Request,
) => Promise<Response>;

/** A person, and how they call auth. */
export interface SomePerson {
  person: Person;
  personId: string;
  call: CallAs;
}

/** A well-formed hash; auth does not check passwords. */
export const PASSWORD_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'c2FsdA'.repeat(4)}$${'aGFzaA'.repeat(8)}`;

/** A secret of a link, as its maker knows it. */
export function newLinkSecret(): { secret: string; secretSha256: Buffer } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, secretSha256: createHash('sha256').update(secret).digest() };
}

export function inOneDay(): bigint {
  return BigInt(Date.now() + 86_400_000);
}

/** The people of an auth service under test, who act with the tokens that it issues. */
export class People {
  readonly #client: AuthServiceClient;

  constructor({ address }: { address: string }) {
    this.#client = createGrpcClient(AuthServiceClient, address);
  }

  close(): void {
    this.#client.close();
  }

  /** Calls with a token; without one, as the console does for somebody who has not signed in. */
  callsWith(token: () => Promise<string | undefined>): CallAs {
    return async (pick, request) => {
      const actorToken = await token();
      const options = { deadlineMs: 20_000, ...(actorToken === undefined ? {} : { actorToken }) };
      return unaryCall(pick(this.#client), request, options);
    };
  }

  /** Calls of the operator at the command line. */
  get operator(): CallAs {
    return this.callsWith(operatorToken);
  }

  /** Calls of a person in an account, or of an operator. */
  callsOf(personId: string, accountId = '', viewAs = false): CallAs {
    return this.callsWith(async () => {
      const request = { personId, accountId, viewAs };
      return (await this.operator((client) => client.issueActorToken.bind(client), request)).token;
    });
  }

  /** Invites an address by mail; returns the SHA-256 of the link's secret. */
  async invite(email: string, role: Role, accountId = ''): Promise<Buffer> {
    const { secretSha256 } = newLinkSecret();
    const request = { accountId, email, role, secretSha256, expiresAtMs: inOneDay(), mailed: true };
    await this.operator((client) => client.createInvitation.bind(client), request);
    return secretSha256;
  }

  /** Accepts an invitation as a new person. */
  async accept(secretSha256: Buffer): Promise<Person> {
    const who = { $case: 'newPerson' as const, value: { name: 'Somebody', passwordHash: PASSWORD_HASH } };
    const response = await this.operator((client) => client.acceptInvitation.bind(client), { secretSha256, who });
    return required(response.person);
  }

  /** A new member of an account. */
  async member(accountId: string, role: Role): Promise<SomePerson> {
    const person = await this.accept(await this.invite(newEmail(), role, accountId));
    const { personId } = person;
    return { person, personId, call: this.callsOf(personId, accountId) };
  }

  /** A new operator. */
  async newOperator(): Promise<SomePerson> {
    const person = await this.accept(await this.invite(newEmail(), Role.OPERATOR));
    const { personId } = person;
    return { person, personId, call: this.callsOf(personId) };
  }
}

export function newEmail(): string {
  return `${newId()}@example.com`;
}
