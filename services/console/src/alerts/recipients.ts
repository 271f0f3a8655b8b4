import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';

const CALL_MS = 10_000;

/** Who gets the e-mails of an account now. */
export interface Recipients {
  accountName: string;
  /** Addresses by person. */
  emails: ReadonlyMap<string, string>;
}

export async function listRecipients(
  auth: AuthServiceClient,
  accountId: string,
  signal: AbortSignal,
): Promise<Recipients> {
  const call = { deadlineMs: CALL_MS, signal };
  const { accountName, recipients } = await unaryCall(auth.listAlertRecipients.bind(auth), { accountId }, call);
  return { accountName, emails: new Map(recipients.map(({ personId, email }) => [personId, email])) };
}
