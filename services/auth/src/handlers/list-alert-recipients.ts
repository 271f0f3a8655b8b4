import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import { AlertAudience, type ListAlertRecipientsRequest, type ListAlertRecipientsResponse } from '@tollgate/proto/auth';
import { listAlertRecipients, type AlertAudience as StoredAudience } from '../store/memberships.ts';

const MAX_RECIPIENTS = 100;

/** Lists who gets the e-mail of an event of an account. */
export function createListAlertRecipientsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListAlertRecipientsRequest, ListAlertRecipientsResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const rows = await listAlertRecipients(pool, accountId, audienceOf(request), MAX_RECIPIENTS);
    return {
      recipients: rows.map(({ person_id: personId, email }) => ({ personId, email })),
      accountName: rows[0]?.account_name ?? '',
    };
  };
}

function audienceOf({ audience, personId }: ListAlertRecipientsRequest): StoredAudience {
  if (audience === AlertAudience.PERSON) return { of: 'person', personId: uuidArgument('person_id', personId) };
  return { of: audience === AlertAudience.LIMITS ? 'limits' : 'money' };
}
