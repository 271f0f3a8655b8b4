import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListAlertRecipientsRequest, ListAlertRecipientsResponse } from '@tollgate/proto/auth';
import { listAlertRecipients } from '../store/memberships.ts';

const MAX_RECIPIENTS = 100;

/** Lists who gets e-mails about an account's money. */
export function createListAlertRecipientsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListAlertRecipientsRequest, ListAlertRecipientsResponse> {
  return async (request) => {
    const rows = await listAlertRecipients(pool, uuidArgument('account_id', request.accountId), MAX_RECIPIENTS);
    return {
      recipients: rows.map(({ person_id: personId, email }) => ({ personId, email })),
      accountName: rows[0]?.account_name ?? '',
    };
  };
}
