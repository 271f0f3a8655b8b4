import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { meterOf } from '@tollgate/common/telemetry';
import { MAKE_WITHIN_MS } from '../checkout/create-checkout.ts';
import type { ListedKind, ListedObject, PaymentRef, Provider } from '../providers/provider.ts';
import { continueRefund, type RefundDependencies } from '../refunds/continue-refund.ts';
import { movementsOfProvider } from '../store/movements.ts';
import { claimPaymentsToCheck, failPayment, type PaymentRow } from '../store/payments.ts';
import { claimPass, readLastEvent, readListPosition, saveListPosition } from '../store/provider-state.ts';
import { claimRefundsToTry } from '../store/refunds.ts';
import type { Synchronize } from '../synchronize/synchronize.ts';
import { isMissing, LIST_ORDER, nextStep } from './list-provider.ts';

const MINUTE_MS = 60_000;

/** How often a pass begins, over all replicas; up to a fifth later. */
const PASS_MS = MINUTE_MS;
/** A pass begins nothing new after this time. */
const BUDGET_MS = 45_000;
/** Maximum pages of each list in one pass; the next pass continues. */
const MAX_PAGES = 10;
/** Maximum payments and refunds that a pass looks at. */
const MAX_CHECKS = 100;
/** After a failure, what was to be checked waits this long. */
const AGAIN_MS = 5 * MINUTE_MS;
const MAX_AGAIN_MS = 6 * 60 * MINUTE_MS;

export interface ReconcileOptions {
  pool: Pool;
  provider: Provider;
  installationId: () => string;
  synchronize: Synchronize;
  refunds: RefundDependencies;
  logger: Logger;
  now: () => number;
  random: () => number;
}

/**
 * Creates the reconciler: it asks the provider what was paid, refunded and disputed, and looks at payments that may still change,
 * so that nothing depends on an event that arrives. One replica at a time makes a pass.
 */
export function createReconciler(options: ReconcileOptions): (signal: AbortSignal) => Promise<void> {
  const { pool, now, random } = options;
  const pass = new Pass(options);
  return async (signal) => {
    const beganMs = now();
    pass.lastEventMs = await readLastEvent(pool);
    if (!(await claimPass(pool, beganMs, Math.round(beganMs + PASS_MS * (1 + random() / 5))))) return;
    await pass.run(() => !signal.aborted && now() - beganMs < BUDGET_MS);
  };
}

/** Whether there is time for more. */
type HasTime = () => boolean;

class Pass {
  lastEventMs: number | undefined;
  readonly #options: ReconcileOptions;
  readonly #missed;

  constructor(options: ReconcileOptions) {
    this.#options = options;
    const meter = meterOf('tollgate-payments');
    this.#missed = meter.createCounter('tollgate_payments_reconciled', {
      description: 'Movements that the reconciler booked, because no event had brought them',
    });
    meter
      .createObservableGauge('tollgate_payments_last_event_seconds', {
        description: 'When the last good event of the payment provider was handled, Unix seconds',
      })
      .addCallback((result) => {
        if (this.lastEventMs !== undefined) result.observe(this.lastEventMs / 1_000);
      });
  }

  async run(hasTime: HasTime): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (work: () => Promise<void>) => work().catch((error: unknown) => failures.push(error));
    for (const kind of LIST_ORDER) await attempt(() => this.#list(kind, hasTime));
    await attempt(() => this.#checkPayments(hasTime));
    await attempt(() => this.#continueRefunds(hasTime));
    if (failures.length > 0) throw new AggregateError(failures, `reconciliation failed: ${messageOf(failures[0])}`);
  }

  async #list(kind: ListedKind, hasTime: HasTime): Promise<void> {
    const { pool, provider, now } = this.#options;
    for (let page = 0; page < MAX_PAGES && hasTime(); page += 1) {
      const step = nextStep(await readListPosition(pool, kind), now());
      const { objects, nextAfterId } = await provider.listSince({ kind, ...step });
      await this.#synchronizeMissing(objects);
      await saveListPosition(pool, kind, step.after(nextAfterId));
      if (nextAfterId === undefined) return;
    }
  }

  async #synchronizeMissing(objects: readonly ListedObject[]): Promise<void> {
    const { pool, provider, installationId } = this.#options;
    const ours = objects.filter(
      (each) => each.installationId === undefined || each.installationId === installationId(),
    );
    const movements = await movementsOfProvider(
      pool,
      ours.map(({ id }) => id),
    );
    const missing = ours.filter((each) => isMissing(provider.name, each, movements));
    const payments = new Set(missing.map(({ providerPayment }) => providerPayment));
    for (const providerPayment of payments) await this.#synchronize({ providerPayment });
  }

  async #synchronize(ref: PaymentRef): Promise<void> {
    const { synchronize, logger } = this.#options;
    const booked = await synchronize(ref);
    if (booked === 0) return;
    this.#missed.add(booked);
    logger.warn({ provider_payment: ref.providerPayment, booked }, 'no event had brought what was booked now');
  }

  async #checkPayments(hasTime: HasTime): Promise<void> {
    const { pool, now, logger } = this.#options;
    const due = await claimPaymentsToCheck(pool, { nowMs: now(), againMs: AGAIN_MS, limit: MAX_CHECKS });
    for (const row of due) {
      if (!hasTime()) return;
      await this.#check(row).catch((error: unknown) => {
        const { account_id, payment_id } = row;
        logger.error({ err: error, account_id, payment_id }, 'a payment was not checked');
      });
    }
  }

  async #check(row: PaymentRow): Promise<void> {
    const { pool, now } = this.#options;
    const { checkout_id, provider_payment, created_at_ms } = row;
    if (checkout_id !== null || provider_payment !== null) {
      await this.#synchronize({ checkoutId: checkout_id ?? undefined, providerPayment: provider_payment ?? undefined });
    } else if (now() - Number(created_at_ms) > MAKE_WITHIN_MS) {
      // Nobody knows the address of its page, if it has one.
      await failPayment(pool, row, 'expired');
    }
  }

  async #continueRefunds(hasTime: HasTime): Promise<void> {
    const { pool, now, refunds, logger } = this.#options;
    const times = { nowMs: now(), againMs: AGAIN_MS, maxAgainMs: MAX_AGAIN_MS, limit: MAX_CHECKS };
    for (const refund of await claimRefundsToTry(pool, times)) {
      if (!hasTime()) return;
      await continueRefund(refunds, refund).catch((error: unknown) => {
        const { account_id, payment_id, refund_id } = refund;
        logger.error({ err: error, account_id, payment_id, refund_id }, 'a refund is still open');
      });
    }
  }
}
