import { roleName } from '@tollgate/common/actors/roles';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { Pool } from '@tollgate/common/postgres/pool';
import { newLink } from '@tollgate/common/secret-links';
import type { AuthServiceClient, Invitation, Role } from '@tollgate/proto/auth';
import type { NewInvitation } from '@tollgate/proto/console/members';
import type { ConsoleConfig } from '../config.ts';
import { deliverLink } from '../mail/deliver-link.ts';
import type { Mailer } from '../mail/mailer.ts';
import { invitationMail } from '../mail/messages.ts';
import { required } from '../required.ts';
import { takeInvitationAttempt } from '../sign-in/attempt-limits.ts';

const VALID_DAYS = 7;
const DAY_MS = 86_400_000;

export interface InvitationDependencies {
  config: Pick<ConsoleConfig, 'CONSOLE_URL'>;
  auth: AuthServiceClient;
  /** Undefined: links are shown to copy. */
  mailer: Mailer | undefined;
  pool: Pool;
}

/** Who is invited to what. */
export interface Invited {
  /** Empty: to be an operator. */
  accountId: string;
  email: string;
  role: Role;
  /** Who invites; undefined: a program. */
  inviterId: string | undefined;
}

/** Creates an invitation, and mails its link, or returns it where e-mail is not configured. */
export async function invite(
  { config, auth, mailer, pool }: InvitationDependencies,
  { accountId, email, role, inviterId }: Invited,
  options: UnaryCallOptions,
): Promise<NewInvitation> {
  await takeInvitationAttempt(pool, { inviterId, accountId, email });
  const { url, secretSha256 } = newLink(config.CONSOLE_URL, 'invitation');
  const expiresAtMs = BigInt(Date.now() + VALID_DAYS * DAY_MS);
  const request = { accountId, email, role, secretSha256, expiresAtMs, mailed: mailer !== undefined };
  const response = await unaryCall(auth.createInvitation.bind(auth), request, options);
  const invitation = required(response.invitation);
  const delivery = await deliverLink(mailer, url, () => mailOf(invitation, url));
  return { invitation, ...delivery };
}

function mailOf({ email, invitedBy, accountName, role }: Invitation, url: string) {
  return invitationMail({
    to: email,
    invitedBy,
    accountName: accountName === '' ? undefined : accountName,
    role: required(roleName(role)),
    url,
    days: VALID_DAYS,
  });
}
