import { unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars } from '@tollgate/common/money';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { ConsoleConfig } from '../../config.ts';
import type { Handler } from '../../http/handler.ts';
import { renderAlertEvent } from '../../render/alert-event.ts';
import { required } from '../../required.ts';
import { countAlertMails } from '../../store/alert-mails.ts';

const MAX_EVENTS = 50;

/** Low-balance thresholds, and the last alerts. */
export function createGetAlertsHandler({
  config,
  pool,
  auth,
  ledger,
}: {
  config: Pick<ConsoleConfig, 'SMTP_URL'>;
  pool: Pool;
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/alerts'> {
  return async ({ path, rpc }) => {
    const accountId = path.account_id;
    const options = await rpc();
    const [thresholds, { events }, { account }] = await Promise.all([
      unaryCall(ledger.getThresholds.bind(ledger), { accountId }, options),
      unaryCall(ledger.listEvents.bind(ledger), { accountId, limit: MAX_EVENTS, cursor: '' }, options),
      unaryCall(auth.getAccount.bind(auth), { accountId }, options),
    ]);
    const mails = await countAlertMails(
      pool,
      events.map(({ eventId }) => eventId),
    );
    return {
      thresholds: thresholds.thresholdsNanos.map(formatDollars),
      own: thresholds.own,
      mail: config.SMTP_URL !== undefined,
      mail_enabled: required(account).alertMails,
      events: events.map((event) => renderAlertEvent(event, mails.get(event.eventId))),
    };
  };
}
