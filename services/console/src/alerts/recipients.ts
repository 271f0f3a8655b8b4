import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient, ListAlertRecipientsRequest } from '@tollgate/proto/auth';

const CALL_MS = 10_000;

/** Who gets an e-mail of an account now. */
export interface Recipients {
  accountName: string;
  /** Addresses by person. */
  emails: ReadonlyMap<string, string>;
}

export async function listRecipients(
  auth: AuthServiceClient,
  request: ListAlertRecipientsRequest,
  signal: AbortSignal,
): Promise<Recipients> {
  const call = { deadlineMs: CALL_MS, signal };
  const { accountName, recipients } = await unaryCall(auth.listAlertRecipients.bind(auth), request, call);
  return { accountName, emails: new Map(recipients.map(({ personId, email }) => [personId, email])) };
}
