import { randomBytes } from 'node:crypto';
import { insertAudit } from '@tollgate/common/audit/audit-log';
import { RpcError } from '@tollgate/common/errors';
import { limitArgument, textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import { newId } from '@tollgate/common/ids';
import { CURRENCY, formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type {
  CreateVouchersRequest,
  CreateVouchersResponse,
  ListVouchersRequest,
  ListVouchersResponse,
  RedeemVoucherRequest,
  RedeemVoucherResponse,
  RevokeVoucherRequest,
  Voucher,
} from '@tollgate/proto/ledger';
import { insertVouchers, listVouchers, revokeVoucher } from '../store/vouchers.ts';
import { CODE_BYTES, codeOf, hashOfCode } from '../vouchers/code.ts';
import { redeemVoucher } from '../vouchers/redeem.ts';
import { cursorArgument, cursorText, MAX_REASON_LENGTH } from './arguments.ts';

const MAX_COUNT = 1_000;
const MAX_LIMIT = 200;
const MAX_CREDIT_DAYS = 3_650;
const MAX_CODE_LENGTH = 100;

/** Creates vouchers; only the response has their codes. */
export function createCreateVouchersHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<CreateVouchersRequest, CreateVouchersResponse> {
  return async (request, call) => {
    const { amountNanos, count, expiresAtMs, creditDays } = request;
    const reason = textArgument('reason', request.reason, MAX_REASON_LENGTH);
    if (amountNanos <= 0n) throw new RpcError('invalid_argument', 'amount_nanos: must be positive');
    if (count < 1 || count > MAX_COUNT) throw new RpcError('invalid_argument', `count: must be from 1 to ${MAX_COUNT}`);
    if (expiresAtMs !== undefined && expiresAtMs <= BigInt(Date.now()))
      throw new RpcError('invalid_argument', 'expires_at_ms: must be in the future');
    if (creditDays !== undefined && (creditDays < 1 || creditDays > MAX_CREDIT_DAYS))
      throw new RpcError('invalid_argument', `credit_days: must be from 1 to ${MAX_CREDIT_DAYS}`);
    const actor = actorOf(call);
    const codes = new Map(Array.from({ length: count }, () => [newId(), codeOf(randomBytes(CODE_BYTES))]));
    const rows = [...codes].map(([voucherId, code]) => ({
      voucherId,
      codeSha256: hashOfCode(code),
      lastFour: code.slice(-4),
    }));
    const terms = { amountNanos, reason, createdBy: actor.name, expiresAtMs, creditDays };
    const vouchers = await inTransaction(pool, async (client) => {
      await insertAudit('ledger', client, actor, {
        accountId: undefined,
        action: 'voucher.create',
        targetId: rows[0]?.voucherId ?? '',
        targetName: reason,
        details: { count: String(count), amount: formatDollars(amountNanos), currency: CURRENCY },
      });
      return insertVouchers(client, rows, terms);
    });
    return { data: vouchers.map((voucher) => ({ voucher, code: codes.get(voucher.voucherId) ?? '' })) };
  };
}

/** A page of vouchers, newest first. */
export function createListVouchersHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListVouchersRequest, ListVouchersResponse> {
  return async (request) => {
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const found = await listVouchers(pool, cursorArgument(request.cursor), limit + 1);
    const data = found.slice(0, limit);
    const last = data.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    return { data, nextCursor: hasMore ? cursorText({ timeMs: Number(last.createdAtMs), id: last.voucherId }) : '' };
  };
}

/** Revokes a voucher that was not redeemed. */
export function createRevokeVoucherHandler({ pool }: { pool: Pool }): UnaryHandler<RevokeVoucherRequest, Voucher> {
  return async (request, call) => {
    const voucherId = uuidArgument('voucher_id', request.voucherId);
    return inTransaction(pool, async (client) => {
      const voucher = await revokeVoucher(client, voucherId);
      if (voucher === undefined) throw new RpcError('not_found', 'voucher_id: there is no such voucher');
      if (voucher.redeemedAtMs !== 0n) throw new RpcError('failed_precondition', 'voucher_id: was redeemed');
      await insertAudit('ledger', client, actorOf(call), {
        accountId: undefined,
        action: 'voucher.revoke',
        targetId: voucherId,
        targetName: voucher.reason,
        details: { last_four: voucher.lastFour },
      });
      return voucher;
    });
  };
}

/** Credits an account with a voucher, once. */
export function createRedeemVoucherHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<RedeemVoucherRequest, RedeemVoucherResponse> {
  return async (request, call) =>
    redeemVoucher(pool, {
      accountId: uuidArgument('account_id', request.accountId),
      code: textArgument('code', request.code, MAX_CODE_LENGTH),
      actor: actorOf(call),
    });
}
