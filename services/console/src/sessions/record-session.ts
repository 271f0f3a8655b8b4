import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient, SessionEvent } from '@tollgate/proto/auth';

/** How somebody signs in. */
export type SignInMethod = 'password' | 'invitation' | 'openid_connect' | 'device';

const CALL = { deadlineMs: 5_000 };

/** Records an event of a person's sessions in the audit log; none where nobody has the address. */
export async function recordSession(
  auth: AuthServiceClient,
  who: { personId: string } | { email: string },
  event: SessionEvent,
  details: Record<string, string>,
): Promise<void> {
  const named =
    'personId' in who
      ? { $case: 'personId' as const, value: who.personId }
      : { $case: 'email' as const, value: who.email };
  await unaryCall(auth.recordSession.bind(auth), { who: named, event, details }, CALL);
}
