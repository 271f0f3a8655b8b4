import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import type { AuthServiceClient, ListAlertRecipientsRequest } from '@tollgate/proto/auth';
import type { Event, LedgerServiceClient } from '@tollgate/proto/ledger';
import type { PaymentsServiceClient } from '@tollgate/proto/payments';
import { type AlertSource, moveAlertCursor, readAlertCursor } from '../store/alert-cursor.ts';
import { countAlertedEvents, insertAlertMails } from '../store/alert-mails.ts';
import { isMailed } from './alert-text.ts';
import { audienceOf } from './audience.ts';
import { lowestThresholds } from './lowest-thresholds.ts';
import { MAX_AGE_MS } from './max-age.ts';
import { listRecipients } from './recipients.ts';

const CALL_MS = 10_000;
/** Events of one call. */
const BATCH_SIZE = 100;

/**
 * Events of one of these types that are mailed to an account within a day. A program that credits small amounts gets there,
 * and an account with many keys that reach their caps, or whose people ask for limits over and over.
 */
export const MAX_PER_DAY = 20;
const LIMITED_TYPES: readonly string[] = ['balance.low', 'cap.low', 'cap.reached', 'limit.requested', 'top_up.paused'];

export interface QueueDependencies {
  pool: Pool;
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  /** Undefined: payments are not set up. */
  payments: PaymentsServiceClient | undefined;
  logger: Logger;
}

/** An event as each source has it. */
export type AlertingEvent = Pick<Event, 'eventId' | 'accountId' | 'type' | 'dataJson' | 'createdAtMs'>;

/**
 * Creates what queues an e-mail for each new event and recipient. Several replicas may do so concurrently: only the one that
 * moves the cursor past events queues their e-mails. The first run begins with the events that follow it.
 */
export function createAlertQueue({ pool, auth, ledger, payments, logger }: QueueDependencies) {
  const skipped = meterOf('tollgate-console').createCounter('tollgate.alerts_not_mailed', {
    unit: '{event}',
    description: 'Events that were not mailed, by reason: too_old, too_many.',
  });
  // A series that starts with its first event shows no increase, and alerts would miss it.
  for (const reason of ['too_old', 'too_many']) skipped.add(0, { reason });

  return async (signal: AbortSignal): Promise<void> => {
    try {
      await queueAll('ledger', ledger.listEventsAfter.bind(ledger), signal);
      if (payments !== undefined) await queueAll('payments', payments.listEventsAfter.bind(payments), signal);
      await queueAll('auth', auth.listEventsAfter.bind(auth), signal);
    } catch (error) {
      // Stopping cancels calls, and the cursor has not moved.
      if (!signal.aborted) throw error;
    }
  };

  async function queueAll(source: AlertSource, list: ListEventsAfter, signal: AbortSignal) {
    while (!signal.aborted) {
      const cursor = await readAlertCursor(pool, source, newId());
      const request = { afterEventId: cursor, limit: BATCH_SIZE };
      const call = { deadlineMs: CALL_MS, signal };
      const { events } = await unaryCall(list, request, call);
      const last = events.at(-1);
      if (last === undefined) return;
      await queue(events, { source, from: cursor, to: last.eventId }, signal);
      if (events.length < BATCH_SIZE) return;
    }
  }

  async function queue(
    events: readonly AlertingEvent[],
    move: { source: AlertSource; from: string; to: string },
    signal: AbortSignal,
  ) {
    const oldestMs = Date.now() - MAX_AGE_MS;
    const recent = events.filter(({ createdAtMs }) => Number(createdAtMs) > oldestMs);
    const current = lowestThresholds(recent.filter(isMailed));
    const recipients = new Map<string, string[]>();
    for (const event of current) {
      const [name, request] = recipientsOf(event);
      if (recipients.has(name)) continue;
      const listed = await listRecipients(auth, request, signal);
      recipients.set(name, [...listed.emails.keys()]);
    }
    const counts = await inTransaction(pool, async (client) => {
      if (!(await moveAlertCursor(client, move.source, move))) return undefined;
      let tooMany = 0;
      for (const event of current) {
        const personIds = recipients.get(recipientsOf(event)[0]) ?? [];
        if (personIds.length > 0 && !(await insertMails(client, event, personIds))) tooMany += 1;
      }
      return { tooMany, tooOld: events.length - recent.length };
    });
    if (counts === undefined) return;
    skipped.add(counts.tooMany, { reason: 'too_many' });
    skipped.add(counts.tooOld, { reason: 'too_old' });
    if (counts.tooOld > 0) logger.error({ events: counts.tooOld }, 'alerts were not mailed: they are older than a day');
  }

  /** @returns false: the account has had its maximum */
  async function insertMails(client: PoolClient, event: AlertingEvent, personIds: readonly string[]): Promise<boolean> {
    const happenedAt = new Date(Number(event.createdAtMs));
    const { accountId, type } = event;
    let isLastOfDay = false;
    if (LIMITED_TYPES.includes(type)) {
      const since = new Date(happenedAt.getTime() - MAX_AGE_MS);
      const before = await countAlertedEvents(client, { accountId, type, since });
      if (before >= MAX_PER_DAY) {
        logger.warn({ account_id: accountId, event_id: event.eventId }, 'an alert was not mailed: too many of a day');
        return false;
      }
      isLastOfDay = before === MAX_PER_DAY - 1;
    }
    const alerted = {
      event_id: event.eventId,
      account_id: accountId,
      type,
      data: JSON.parse(event.dataJson),
      happened_at: happenedAt,
      is_last_of_day: isLastOfDay,
    };
    await insertAlertMails(client, alerted, personIds);
    return true;
  }
}

/** Who gets the e-mail of an event, with a name for the same people. */
function recipientsOf({
  accountId,
  type,
  dataJson,
}: AlertingEvent): [name: string, request: ListAlertRecipientsRequest] {
  const audience = audienceOf(type, JSON.parse(dataJson));
  return [`${accountId}/${audience.audience}/${audience.personId}`, { accountId, ...audience }];
}

type ListEventsAfter = Parameters<
  typeof unaryCall<{ afterEventId: string; limit: number }, { events: AlertingEvent[] }>
>[0];
