import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import { sendWebhook, type WebhookTarget } from '../events/webhook.ts';
import { type ClaimedEvent, claimEvents, endEvent, postponeEvent } from '../store/events.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Delays after the first, second and further failed attempts: eleven attempts within a day. */
const DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  10 * HOUR_MS,
];

/** Up to this share of a delay is subtracted at random, so that events that failed together are spread. */
const JITTER = 0.1;

/**
 * The delay after a failed attempt.
 *
 * @param attempts made so far, at least 1
 * @param random in [0, 1)
 * @returns undefined when it was the last one
 */
export function delayAfter(attempts: number, random: number): number | undefined {
  const delay = DELAYS_MS[attempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER * random));
}

/** Maximum events sent concurrently. */
const BATCH_SIZE = 20;

/** A claim on an event lasts longer than an attempt by this much. */
const CLAIM_MARGIN_MS = 10_000;

export interface DeliveryOptions {
  /** Undefined: events are logged instead. */
  target: WebhookTarget | undefined;
  now: () => number;
  random: () => number;
}

/** Sends events that are due, in batches, until none is left. Several replicas may do so concurrently. */
export type Deliver = (signal: AbortSignal) => Promise<void>;

/**
 * Creates the sender of the outbox. A claim postpones the next attempt of an event before it is sent, so that the death of
 * a replica only delays the event; it is then sent again under the same id.
 */
export function createEventDelivery(pool: Pool, options: DeliveryOptions, logger: Logger): Deliver {
  const attempts = meterOf('tollgate-ledger').createCounter('tollgate_ledger_webhook_tries', {
    description: 'Tries to deliver an event, by outcome',
  });
  // A series that starts with its first event shows no increase, and alerts would miss it.
  for (const outcome of ['delivered', 'failed', 'given_up']) attempts.add(0, { outcome });
  const claimMs = (options.target?.timeoutMs ?? 0) + CLAIM_MARGIN_MS;

  return async (signal) => {
    while (!signal.aborted) {
      const events = await claimEvents(pool, BATCH_SIZE, claimMs);
      await Promise.all(events.map((event) => deliver(event, signal)));
      if (events.length < BATCH_SIZE) return;
    }
  };

  async function deliver(event: ClaimedEvent, signal: AbortSignal): Promise<void> {
    const named = { account_id: event.accountId, event_id: event.eventId, type: event.type };
    if (options.target === undefined) {
      if (await endEvent(pool, event, 'unsent', undefined)) {
        logger.info({ ...named, ...event.payload }, 'event, with no webhook to send it to');
      }
      return;
    }
    const result = await sendWebhook(options.target, event, options.now(), signal);
    if (result.delivered) {
      attempts.add(1, { outcome: 'delivered' });
      await endEvent(pool, event, 'delivered', undefined);
      return;
    }
    // The next claim sends it again: the attempt was stopped here, and did not fail at the receiver.
    if (signal.aborted) return;
    const { error } = result;
    const delayMs = result.gone ? undefined : delayAfter(event.attempts, options.random());
    if (delayMs !== undefined) {
      attempts.add(1, { outcome: 'failed' });
      logger.warn({ ...named, attempts: event.attempts, error }, 'a webhook failed and will be retried');
      await postponeEvent(pool, event, delayMs, error);
      return;
    }
    attempts.add(1, { outcome: 'given_up' });
    logger.error({ ...named, attempts: event.attempts, error }, 'a webhook was given up: its receiver did not get it');
    await endEvent(pool, event, 'given_up', error);
  }
}
