import { createHash, randomBytes } from 'node:crypto';
import { type RoleName, roleOf } from '@tollgate/common/actors/roles';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { AuthServiceClient, Person } from '@tollgate/proto/auth';

const CALL = { deadlineMs: 20_000 };

/** The hash of no password. */
const NO_PASSWORD = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/**
 * Creates a person who has accepted an invitation: to an account, or, as an operator, to all.
 *
 * @param auth calls of an operator
 */
export async function createPerson(
  auth: AuthServiceClient,
  role: RoleName,
  accountId: string,
  { name = `A ${role}`, passwordHash = NO_PASSWORD }: { name?: string; passwordHash?: string } = {},
): Promise<Person> {
  const secretSha256 = createHash('sha256').update(randomBytes(32)).digest();
  const invitation = {
    accountId: role === 'operator' ? '' : accountId,
    email: `${role}-${newId()}@example.com`,
    role: roleOf(role),
    secretSha256,
    expiresAtMs: BigInt(Date.now() + 3_600_000),
    mailed: true,
  };
  await unaryCall(auth.createInvitation.bind(auth), invitation, CALL);
  const newPerson = { name, passwordHash };
  const who = { $case: 'newPerson' as const, value: newPerson };
  const { person } = await unaryCall(auth.acceptInvitation.bind(auth), { secretSha256, who }, CALL);
  if (person === undefined) throw new Error('auth has returned no person');
  return person;
}
