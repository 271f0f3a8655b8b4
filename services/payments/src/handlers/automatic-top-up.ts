import { insertAudit } from '@tollgate/common/audit/audit-log';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type CallContext, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { CURRENCY, formatDollars } from '@tollgate/common/money';
import { inTransaction, type PoolClient } from '@tollgate/common/postgres/pool';
import type {
  AutomaticTopUp,
  DeleteAutomaticTopUpRequest,
  GetAutomaticTopUpRequest,
  ResumeAutomaticTopUpRequest,
  SetAutomaticTopUpRequest,
} from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import type { SavedMethod } from '../providers/provider.ts';
import { customerOf, lockAccount } from '../store/accounts.ts';
import { dropUnasked } from '../store/crossings.ts';
import {
  findTopUp,
  hasOpenDispute,
  recordPause,
  removeTopUp,
  saveTopUp,
  type TopUp,
  type TopUpRule,
} from '../store/top-ups.ts';
import { reached } from './payment-methods.ts';
import { topUpMessage } from './top-up-message.ts';
import { ruleArgument } from './top-up-rule.ts';

export function createGetAutomaticTopUpHandler(
  deps: Dependencies,
): UnaryHandler<GetAutomaticTopUpRequest, AutomaticTopUp> {
  return (request) => topUpMessage(deps, uuidArgument('account_id', request.accountId));
}

/** Switches it on, or changes it. What it does with the present balance is seen within seconds. */
export function createSetAutomaticTopUpHandler(
  deps: Dependencies,
): UnaryHandler<SetAutomaticTopUpRequest, AutomaticTopUp> {
  const { pool, config, now } = deps;
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const rule = ruleArgument(config, request);
    if (config.STRIPE_TAX) {
      throw new RpcError('failed_precondition', 'automatic top-up is not offered where taxes are added to payments');
    }
    const { brand, last4 } = await savedMethod(deps, accountId, rule.methodId);
    const named = { ...rule, method: `${brand} ${last4}` };
    await inTransaction(pool, async (client) => {
      await lockAccount(client, accountId);
      await refuseDisputed(client, accountId);
      await dropUnasked(client, accountId, now());
      await saveTopUp(client, accountId, named);
      await audit(client, call, { accountId, action: 'top_up.update', rule: named });
    });
    return topUpMessage(deps, accountId);
  };
}

/** Switches it off at once. */
export function createDeleteAutomaticTopUpHandler(
  deps: Dependencies,
): UnaryHandler<DeleteAutomaticTopUpRequest, AutomaticTopUp> {
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    await inTransaction(deps.pool, async (client) => {
      await lockAccount(client, accountId);
      const topUp = await findTopUp(client, accountId);
      if (topUp === undefined) return;
      await dropUnasked(client, accountId, deps.now());
      await removeTopUp(client, accountId);
      await audit(client, call, { accountId, action: 'top_up.delete', rule: topUp.rule });
    });
    return topUpMessage(deps, accountId);
  };
}

/** Ends a pause. */
export function createResumeAutomaticTopUpHandler(
  deps: Dependencies,
): UnaryHandler<ResumeAutomaticTopUpRequest, AutomaticTopUp> {
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const { rule } = required(await findTopUp(deps.pool, accountId));
    await savedMethod(deps, accountId, rule.methodId).catch((error: unknown) => {
      if (!(error instanceof RpcError) || error.code === 'unavailable') throw error;
      throw new RpcError('failed_precondition', 'the card was removed or has expired: choose another one', {
        cause: error,
      });
    });
    await inTransaction(deps.pool, async (client) => {
      await lockAccount(client, accountId);
      const topUp = required(await findTopUp(client, accountId));
      if (topUp.pause === undefined) return;
      await refuseDisputed(client, accountId);
      await recordPause(client, accountId, { declines: 0, pause: undefined });
      await audit(client, call, { accountId, action: 'top_up.resume', rule: topUp.rule });
    });
    return topUpMessage(deps, accountId);
  };
}

function required(topUp: TopUp | undefined): TopUp {
  if (topUp === undefined) throw new RpcError('not_found', 'account_id: its automatic top-up is switched off');
  return topUp;
}

async function refuseDisputed(client: PoolClient, accountId: string): Promise<void> {
  if (!(await hasOpenDispute(client, accountId))) return;
  throw new RpcError('failed_precondition', 'a payment of the account is disputed: wait until that is decided');
}

/** A card that was saved with its holder's consent. */
async function savedMethod(
  { pool, provider, now }: Dependencies,
  accountId: string,
  methodId: string,
): Promise<SavedMethod> {
  const customerId = await customerOf(pool, accountId);
  const methods = customerId === undefined ? [] : await reached(() => provider.listMethods(customerId));
  const method = methods.find(({ id }) => id === methodId);
  if (method === undefined) throw new RpcError('not_found', 'method_id: the account has no such card');
  // A card can be charged until its month is over.
  if (Date.UTC(method.expiresYear, method.expiresMonth, 1) <= now()) {
    throw new RpcError('invalid_argument', 'method_id: the card has expired');
  }
  return method;
}

async function audit(
  client: PoolClient,
  call: CallContext,
  { accountId, action, rule }: { accountId: string; action: string; rule: TopUpRule },
): Promise<void> {
  await insertAudit('payments', client, actorOf(call), {
    accountId,
    action,
    targetId: accountId,
    targetName: rule.method,
    details: {
      threshold: formatDollars(rule.thresholdNanos),
      target: formatDollars(rule.targetNanos),
      monthly_max: formatDollars(rule.monthlyMaxNanos),
      currency: CURRENCY,
    },
  });
}
