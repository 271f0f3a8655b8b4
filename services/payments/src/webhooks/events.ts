import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import type { Provider, WebhookEvent, WebhookRequest } from '../providers/provider.ts';
import { recordEvent } from '../store/provider-state.ts';
import type { Synchronize } from '../synchronize/synchronize.ts';

/** How many events are handled at once: fewer than connections to the database. */
const MAX_CONCURRENT = 8;

/** `busy`: too many are being handled. */
export type Handled = 'handled' | 'busy';

export interface EventsOptions {
  pool: Pool;
  provider: Provider;
  synchronize: Synchronize;
  logger: Logger;
  now: () => number;
}

/** Handles events of the payment provider. */
export class Events {
  readonly #options: EventsOptions;
  readonly #counter = meterOf('tollgate-payments').createCounter('tollgate_payments_events', {
    description: 'Events of the payment provider, by outcome',
  });
  #running = 0;

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  /** @throws SignatureError */
  parse(request: WebhookRequest): WebhookEvent {
    try {
      return this.#options.provider.parseWebhook(request);
    } catch (error) {
      this.#counter.add(1, { outcome: 'refused' });
      throw error;
    }
  }

  /** Resolves once the ledger has committed what the event is about; rejects if that is not certain. */
  async handle({ id, type, ref }: WebhookEvent): Promise<Handled> {
    const { pool, synchronize, logger, now } = this.#options;
    if (this.#running >= MAX_CONCURRENT) {
      this.#counter.add(1, { outcome: 'busy' });
      return 'busy';
    }
    this.#running += 1;
    try {
      const booked = ref === undefined ? 0 : await synchronize(ref);
      await recordEvent(pool, now());
      this.#counter.add(1, { outcome: 'handled' });
      logger.info({ event_id: id, type, provider_payment: ref?.providerPayment, booked }, 'an event was handled');
      return 'handled';
    } catch (error) {
      this.#counter.add(1, { outcome: 'failed' });
      throw error;
    } finally {
      this.#running -= 1;
    }
  }
}
