import { limitArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { ListPaymentsRequest, ListPaymentsResponse } from '@tollgate/proto/payments';
import type { Dependencies } from '../dependencies.ts';
import { movementsOf } from '../store/movements.ts';
import { listPayments } from '../store/payments.ts';
import { cursorArgument } from './arguments.ts';
import { paymentMessage } from './payment-message.ts';

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

/** A page of an account's payments, newest first. */
export function createListPaymentsHandler({
  pool,
}: Pick<Dependencies, 'pool'>): UnaryHandler<ListPaymentsRequest, ListPaymentsResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const limit = request.limit === 0 ? DEFAULT_LIMIT : limitArgument(request.limit, MAX_LIMIT);
    const found = await listPayments(pool, accountId, cursorArgument(request.cursor), limit + 1);
    const page = found.slice(0, limit);
    const ids = page.map(({ payment_id }) => payment_id);
    const byPayment = Map.groupBy(await movementsOf(pool, accountId, ids), ({ paymentId }) => paymentId);
    return {
      data: page.map((row) => paymentMessage(row, byPayment.get(row.payment_id) ?? [])),
      nextCursor: found.length > limit ? (ids.at(-1) ?? '') : '',
    };
  };
}
