import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient, Exported } from '@tollgate/proto/auth';

/**
 * Records in the audit log who exports what, before they get it.
 *
 * @param query what they select
 */
export async function recordExport(
  auth: AuthServiceClient,
  { accountId, exported, query }: { accountId: string | undefined; exported: Exported; query: object },
  options: UnaryCallOptions,
): Promise<void> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const details = Object.fromEntries(given.slice(0, MAX_DETAILS).map(([name, value]) => [name, String(value)]));
  await unaryCall(auth.recordExport.bind(auth), { accountId: accountId ?? '', exported, details }, options);
}

/** As many as auth takes. */
const MAX_DETAILS = 10;
