import { openOperatorClients } from '@tollgate/common/actors/operator';
import type { RoleName } from '@tollgate/common/actors/roles';
import { hashPassword } from '@tollgate/console/passwords/password-hash';
import { ApiClient } from '@tollgate/console/testing/api-client';
import { createPerson } from '@tollgate/console/testing/create-person';

export const PASSWORD = 'a password of a test';

/** A person with a password, who is signed in. */
export interface Person {
  personId: string;
  email: string;
  name: string;
  /** The session cookie, as `name=value`. */
  cookie: string;
  /** Calls of this person. */
  api: ApiClient;
}

const NAMES: Readonly<Record<RoleName, string>> = {
  operator: 'Olga Operator',
  owner: 'Otto Owner',
  admin: 'Ada Admin',
  developer: 'Devi Developer',
  billing: 'Bill Billing',
};

/** Signs in with a password. */
export async function signIn(url: string, email: string, password: string): Promise<Person> {
  const body = { email, password };
  const response = await new ApiClient(url, undefined).call('POST /session', { body });
  if (response.status !== 200) throw new Error(`${email} is not signed in: ${response.status}`);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { person_id: personId, name } = response.body.person;
  return { personId, email, name, cookie, api: new ApiClient(url, { cookie }) };
}

/**
 * Creates a person with a role and signs them in. They accept an invitation at auth, because the console limits how many
 * links one network may use.
 */
export async function createMember(
  url: string,
  grpc: { auth: string; ledger: string },
  role: RoleName,
  accountId: string,
): Promise<Person> {
  const { auth, close } = openOperatorClients(grpc);
  try {
    const person = { name: NAMES[role], passwordHash: await hashPassword(PASSWORD) };
    const { email } = await createPerson(auth, role, accountId, person);
    return await signIn(url, email, PASSWORD);
  } finally {
    close();
  }
}
