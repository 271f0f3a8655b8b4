import { createHash, randomBytes } from 'node:crypto';
import { type RoleName, roleOf } from '@tollgate/common/actors/roles';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { ConsoleConfig } from '../config.ts';
import { renderInvitation } from '../render/member.ts';
import { required } from '../required.ts';

const VALID_DAYS = 7;
const DAY_MS = 86_400_000;
const SECRET_BYTES = 32;

export interface InvitationDependencies {
  config: Pick<ConsoleConfig, 'CONSOLE_URL'>;
  auth: AuthServiceClient;
}

/** Who is invited to what. */
export interface Invited {
  /** Empty: to be an operator. */
  accountId: string;
  email: string;
  role: RoleName;
}

/** Creates an invitation. Its link has the secret in its fragment, which browsers send to no server. */
export async function invite(
  { config, auth }: InvitationDependencies,
  { accountId, email, role }: Invited,
  options: UnaryCallOptions,
) {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const secretSha256 = createHash('sha256').update(secret).digest();
  const expiresAtMs = BigInt(Date.now() + VALID_DAYS * DAY_MS);
  const request = { accountId, email, role: roleOf(role), secretSha256, expiresAtMs };
  const response = await unaryCall(auth.createInvitation.bind(auth), request, options);
  const link = `${config.CONSOLE_URL}/invitation#${secret}`;
  return { invitation: renderInvitation(required(response.invitation)), mailed: false, link };
}
