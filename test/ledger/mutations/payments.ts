import type { TestedMutation } from './mutation.ts';

const FOLDER = 'services/payments';
const PLAN = 'movements/plan-movements.test.ts';
const SYNCHRONIZE = 'synchronize/synchronize.db.test.ts';
const RECONCILE = 'jobs/reconcile.db.test.ts';
const REFUNDS = 'refunds/refunds.db.test.ts';
const CHECKOUT = 'checkout/create-checkout.db.test.ts';
const TOP_UP = 'top-up/top-up.db.test.ts';
const DECIDE = 'top-up/decide.test.ts';
const LIMITS = 'limits/limits.db.test.ts';

function mutation(name: string, test: string, at: string, find: string, replace: string): TestedMutation {
  return { name, test: `${FOLDER}/src/${test}`, edits: [{ folder: FOLDER, at, find, replace }] };
}

/** Faults of payments. */
export const PAYMENTS_MUTATIONS: readonly TestedMutation[] = [
  mutation(
    'a payment of which a part was captured is credited in full',
    PLAN,
    'depositOf',
    'proportion(creditNanos, payment.receivedCents, payment.cents)',
    'creditNanos',
  ),
  mutation(
    'a failed refund is not given back',
    PLAN,
    'planMovements',
    'if (!stands && !isGivenBack)',
    'if (!stands && isGivenBack)',
  ),
  mutation('a dispute that was won stays taken', PLAN, 'disputeTaking', 'stands: !won', 'stands: true'),
  mutation('an inquiry takes credit', PLAN, 'takingsOf', '.filter(({ withdrawn }) => withdrawn)', ''),
  mutation(
    'each part of a refund is rounded by itself',
    PLAN,
    'planMovements',
    'proportion(deposit.amountNanos, cents, payment.receivedCents) - taken',
    'proportion(deposit.amountNanos, take.providerCents, payment.receivedCents)',
  ),
  mutation(
    'a payment is booked before it has succeeded',
    PLAN,
    'planMovements',
    `payment.state !== 'succeeded' || payment.receivedCents <= 0n`,
    'payment.receivedCents <= 0n',
  ),
  mutation(
    'an older answer of the provider is recorded after a newer one',
    SYNCHRONIZE,
    'record',
    'row.version !== (before?.version ?? 0n)',
    'row.version < 0n',
  ),
  mutation(
    'payments of other installations are booked',
    SYNCHRONIZE,
    'originOf',
    'origin?.installationId === installationId()',
    'origin !== undefined',
  ),
  mutation(
    'a payment settles before the ledger has its credit',
    SYNCHRONIZE,
    'bookMovements',
    'key === deposit && bookedAtMs !== undefined',
    'key === deposit',
  ),
  mutation(
    'a second payment for one page is booked',
    SYNCHRONIZE,
    'contradictionOf',
    'row.provider_payment !== null && row.provider_payment !== payment.id',
    'row.provider_payment === payment.id && false',
  ),
  mutation(
    'less than the price is credited in full',
    SYNCHRONIZE,
    'contradictionOf',
    'payment.cents * NANOS_PER_CENT < row.amount_nanos',
    'payment.cents < 0n',
  ),
  mutation(
    'a payment whose row is lost is not booked',
    SYNCHRONIZE,
    'lockOrRestore',
    'row !== undefined ||',
    'row === undefined ||',
  ),
  mutation(
    'an event counts as handled although nothing was booked',
    'webhooks/webhooks.db.test.ts',
    'Events.handle',
    'ref === undefined ? 0 : await synchronize(ref)',
    'ref === undefined ? 0 : await synchronize(ref).catch(() => 0)',
  ),
  mutation(
    'events that arrive during a look share its old answer',
    'synchronize/share-runs.test.ts',
    'shareRuns',
    'entry.next = entry.current.then(begin, begin);',
    'entry.next = entry.current.then(() => 0);',
  ),
  mutation(
    'the reconciler does not look back at what lists may have lacked',
    RECONCILE,
    'nextStep',
    'cursorMs - OVERLAP_MS',
    'cursorMs',
  ),
  mutation(
    'the reconciler lists the first page only',
    RECONCILE,
    'nextStep',
    '{ cursorMs, windowEndMs: endMs, afterId: nextAfterId }',
    '{ cursorMs: endMs, windowEndMs: undefined, afterId: undefined }',
  ),
  mutation(
    'a refund whose answer was lost is made once more after a day',
    REFUNDS,
    'askProvider',
    '(await recordTry(pool, refund)) > 0',
    '(await recordTry(pool, refund)) < 0',
  ),
  mutation('a refund is made although the account has less', REFUNDS, 'takeCredit', 'return false;', 'return true;'),
  mutation(
    'a refund that the provider refuses keeps the credit',
    REFUNDS,
    'giveBack',
    'if (!isRefused) return;',
    'return;',
  ),
  mutation(
    'more is refunded than is left of a payment',
    REFUNDS,
    'centsToRefund',
    'amountNanos > left',
    'amountNanos < 0n',
  ),
  mutation(
    'the same refund is begun twice',
    REFUNDS,
    'beginRefund',
    'if (known !== undefined) return sameRefund(known, request);',
    'if (known !== undefined) request.idempotencyKey += nowMs;',
  ),
  mutation(
    'a page is made again when its answer was lost',
    CHECKOUT,
    'makePage',
    'customerId, idempotencyKey: row.payment_id',
    'customerId, idempotencyKey: newId()',
  ),
  mutation('payments of today raise the daily limit', CHECKOUT, 'limitTimes', 'nowMs - PROVEN_AFTER_MS', 'nowMs + 1'),
  mutation(
    'payments of a network that are begun at once are not counted',
    LIMITS,
    'lockPersonAndNetwork',
    'clientNetwork === undefined ? []',
    'clientNetwork !== null ? []',
  ),
  mutation(
    'cards that an operator cleared count again with the next event',
    LIMITS,
    'insertFailedCards',
    'ON CONFLICT (attempt_id) DO NOTHING',
    'ON CONFLICT (attempt_id) DO UPDATE SET cleared = false',
  ),
  mutation(
    'failed cards do not stop payments',
    LIMITS,
    'refusalOf',
    'if (last === undefined) return undefined;',
    'return undefined;',
  ),
  mutation(
    'a balance from before the last credit is topped up again',
    TOP_UP,
    'beginCrossing',
    'topUp?.revision === watched.revision && (last?.number ?? 0n) === watched.lastNumber',
    'topUp !== null',
  ),
  mutation(
    'a charge whose answer was lost is made again',
    TOP_UP,
    'ask',
    'idempotencyKey: `top-up:',
    'idempotencyKey: now() + `top-up:',
  ),
  mutation(
    'a charge is asked for again when the provider has forgotten its key',
    TOP_UP,
    'askOrFind',
    'now() - Number(asked_first_ms) < ASK_AGAIN_MS',
    'now() > 0',
  ),
  mutation(
    'an automatic top-up that is switched off charges once more',
    TOP_UP,
    'dropUnasked',
    'asked_first_ms IS NULL',
    'asked_first_ms IS NOT NULL',
  ),
  mutation(
    'what is under way does not count for the month',
    TOP_UP,
    'sumAutomatic',
    "state <> 'failed'",
    "state = 'settled'",
  ),
  mutation(
    'a payment that was only begun confirms a charge',
    TOP_UP,
    'resumeConfirmed',
    "p.state = 'settled'",
    "p.state <> 'failed'",
  ),
  mutation(
    'a card is charged again although its bank says not to',
    TOP_UP,
    'chargeEndOf',
    'payment.failureIsFinal === true ||',
    '',
  ),
  mutation(
    'a disputed account is charged',
    DECIDE,
    'decide',
    'if (hasOpenDispute)',
    'if (hasOpenDispute && owedNanos < 0n)',
  ),
  mutation('a dispute that was lost stays open', TOP_UP, 'record', 'open && withdrawn', 'withdrawn'),
  mutation(
    'more is charged than is left of the month',
    DECIDE,
    'decide',
    'minBigInt(monthLeft, dailyLeft)',
    'dailyLeft',
  ),
];
