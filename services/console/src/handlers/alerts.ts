import { unaryCall } from '@tollgate/common/grpc/client';
import type { AlertEvent, MailCounts } from '@tollgate/proto/console/accounts';
import type { Event } from '@tollgate/proto/ledger';
import { alertText, keyOf } from '../alerts/alert-text.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';
import { required } from '../required.ts';
import { countAlertMails } from '../store/alert-mails.ts';

const MAX_EVENTS = 50;
const NO_MAILS: MailCounts = { sent: 0, pending: 0, failed: 0 };

/** Handlers of low-balance thresholds and of alerts. */
export function alertHandlers({ config, pool, auth, ledger }: Dependencies) {
  return {
    getAlerts: async ({ accountId }, { rpc }) => {
      const options = await rpc();
      const [{ thresholdsNanos, own }, { events }, { account }] = await Promise.all([
        unaryCall(ledger.getThresholds.bind(ledger), { accountId }, options),
        unaryCall(ledger.listEvents.bind(ledger), { accountId, limit: MAX_EVENTS, cursor: '' }, options),
        unaryCall(auth.getAccount.bind(auth), { accountId }, options),
      ]);
      const ids = events.map(({ eventId }) => eventId);
      const mails = await countAlertMails(pool, ids);
      return {
        thresholdsNanos,
        own,
        mail: config.SMTP_URL !== undefined,
        mailEnabled: required(account).alertMails,
        events: events.map((event) => showEvent(event, mails.get(event.eventId) ?? NO_MAILS)),
      };
    },

    setAlerts: async ({ accountId, thresholds }, { rpc }) => {
      const request = {
        accountId,
        thresholdsNanos: thresholds?.amountsNanos ?? [],
        useDefaults: thresholds === undefined,
      };
      return unaryCall(ledger.setThresholds.bind(ledger), request, await rpc());
    },
  } satisfies Partial<Handlers>;
}

/** An event of an account, as one sentence. */
function showEvent(event: Event, mails: MailCounts): AlertEvent {
  const { eventId, type, createdAtMs, state, attempts, lastError } = event;
  const data: unknown = JSON.parse(event.dataJson);
  const { sentence } = alertText(type, data);
  return { eventId, type, sentence, keyId: keyOf(data), createdAtMs, state, attempts, lastError, mails };
}
