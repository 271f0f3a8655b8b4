import { insertAudit } from '@tollgate/common/audit/audit-log';
import { textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { formatDollars } from '@tollgate/common/money';
import { inTransaction, type Queryable } from '@tollgate/common/postgres/pool';
import type {
  ClearFailedCardsRequest,
  GetPaymentLimitsRequest,
  PaymentLimits,
  UpdatePaymentLimitsRequest,
} from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import { begunSinceMs, limitTimes, MAX_BEGUN } from '../limits/check-limits.ts';
import { dailyLimit } from '../limits/daily-limit.ts';
import { FAILED_CARDS_MS, MAX_FAILED_CARDS, refusalOf } from '../limits/failed-cards.ts';
import { lockAccount, readPaidIn, replaceDailyLimit } from '../store/accounts.ts';
import { clearFailedCards, countBegun, countFailedCards, readNthFailures } from '../store/limits.ts';
import { MAX_REASON_LENGTH } from './arguments.ts';

/** What limits an account, for operators. */
export function createGetPaymentLimitsHandler(
  deps: Dependencies,
): UnaryHandler<GetPaymentLimitsRequest, PaymentLimits> {
  return async (request) => readLimits(deps, deps.pool, uuidArgument('account_id', request.accountId));
}

/** Sets what an account may pay in, or lets its payments decide. */
export function createUpdatePaymentLimitsHandler(
  deps: Dependencies,
): UnaryHandler<UpdatePaymentLimitsRequest, PaymentLimits> {
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const reason = textArgument('reason', request.reason, MAX_REASON_LENGTH);
    const limit = request.dailyLimitNanos;
    return inTransaction(deps.pool, async (client) => {
      await lockAccount(client, accountId);
      const before = await replaceDailyLimit(client, accountId, limit);
      await insertAudit('payments', client, actorOf(call), {
        accountId,
        action: 'payment_limit.update',
        targetId: accountId,
        targetName: '',
        details: { daily_limit: shown(limit), before: shown(before), reason },
      });
      return readLimits(deps, client, accountId);
    });
  };
}

/** Lets an account begin payments again although cards failed. */
export function createClearFailedCardsHandler(
  deps: Dependencies,
): UnaryHandler<ClearFailedCardsRequest, PaymentLimits> {
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const reason = textArgument('reason', request.reason, MAX_REASON_LENGTH);
    return inTransaction(deps.pool, async (client) => {
      await lockAccount(client, accountId);
      const cleared = await clearFailedCards(client, accountId);
      await insertAudit('payments', client, actorOf(call), {
        accountId,
        action: 'payment_limit.clear_failed_cards',
        targetId: accountId,
        targetName: '',
        details: { failed_cards: String(cleared), reason },
      });
      return readLimits(deps, client, accountId);
    });
  };
}

function shown(limitNanos: bigint | undefined): string {
  return limitNanos === undefined ? 'automatic' : formatDollars(limitNanos);
}

async function readLimits({ config, now }: Dependencies, db: Queryable, accountId: string): Promise<PaymentLimits> {
  const nowMs = now();
  const failedSinceMs = nowMs - FAILED_CARDS_MS;
  const account = { accountId, personId: '', clientNetwork: undefined };
  const paidIn = await readPaidIn(db, accountId, limitTimes(nowMs));
  const begun = await countBegun(db, account, begunSinceMs(nowMs));
  const nth = await readNthFailures(db, account, failedSinceMs, MAX_FAILED_CARDS);
  const { limitNanos, leftNanos, provenNanos } = dailyLimit(config.PAYMENT_DAILY_LIMIT, paidIn);
  return {
    dailyLimitNanos: limitNanos,
    dailyLeftNanos: leftNanos,
    ownLimitNanos: paidIn.ownLimitNanos,
    baseNanos: config.PAYMENT_DAILY_LIMIT,
    provenNanos,
    usedNanos: paidIn.recentNanos,
    begunInHour: begun.account,
    maxBegunInHour: MAX_BEGUN.account,
    failedCards: await countFailedCards(db, accountId, failedSinceMs),
    maxFailedCards: MAX_FAILED_CARDS.account,
    refusedUntilMs: BigInt(refusalOf(nth)?.untilMs ?? 0),
  };
}
