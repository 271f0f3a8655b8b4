import { insertAudit } from '@tollgate/common/audit/audit-log';
import { RpcError } from '@tollgate/common/errors';
import { textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { inTransaction } from '@tollgate/common/postgres/pool';
import type {
  ListPaymentMethodsRequest,
  ListPaymentMethodsResponse,
  PaymentMethod,
  RemovePaymentMethodRequest,
  RemovePaymentMethodResponse,
} from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import { ProviderError, type SavedMethod } from '../providers/provider.ts';
import { customerOf, lockAccount } from '../store/accounts.ts';
import { pauseWithoutCard } from '../top-up/pause.ts';

const MAX_ID_LENGTH = 200;

/** The cards that an account has saved. */
export function createListPaymentMethodsHandler({
  pool,
  provider,
}: Dependencies): UnaryHandler<ListPaymentMethodsRequest, ListPaymentMethodsResponse> {
  return async (request) => {
    const customerId = await customerOf(pool, uuidArgument('account_id', request.accountId));
    if (customerId === undefined) return { data: [] };
    const methods = await reached(() => provider.listMethods(customerId));
    return { data: methods.map(methodMessage) };
  };
}

/** Removes a saved card. */
export function createRemovePaymentMethodHandler({
  pool,
  provider,
  now,
}: Dependencies): UnaryHandler<RemovePaymentMethodRequest, RemovePaymentMethodResponse> {
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const methodId = textArgument('method_id', request.methodId, MAX_ID_LENGTH);
    const customerId = await customerOf(pool, accountId);
    if (customerId === undefined) throw noMethod();
    // The entry is written only if the card is removed, and the card is removed only if the entry can be written.
    await inTransaction(pool, async (client) => {
      const methods = await reached(() => provider.listMethods(customerId));
      const method = methods.find(({ id }) => id === methodId);
      if (method === undefined) throw noMethod();
      const targetName = `${method.brand} ${method.last4}`;
      const entry = { accountId, action: 'payment_method.delete', targetId: methodId, targetName, details: {} };
      await insertAudit('payments', client, actorOf(call), entry);
      await lockAccount(client, accountId);
      if ((await reached(() => provider.removeMethod(customerId, methodId))) === undefined) throw noMethod();
      await pauseWithoutCard(client, accountId, methodId, now());
    });
    return {};
  };
}

function noMethod(): RpcError {
  return new RpcError('not_found', 'method_id: the account has no such card');
}

/** The result of a call of the provider. @throws RpcError */
export async function reached<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new RpcError('unavailable', 'the payment provider does not answer', { cause: error });
  }
}

function methodMessage({ id: methodId, brand, last4, expiresMonth, expiresYear }: SavedMethod): PaymentMethod {
  return { methodId, brand, last4, expiresMonth, expiresYear };
}
