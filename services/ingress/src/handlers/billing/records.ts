import { CHARGE_STATUS_NAMES, chargeStatusOf, renderBillingCharge } from '@tollgate/common/billing/charge';
import { unaryCall } from '@tollgate/common/grpc/client';
import { type Charge, ChargeStatus, type LedgerServiceClient } from '@tollgate/proto/ledger';
import type { IngressConfig } from '../../config.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { isDerived } from '../../shared/limits/ceilings.ts';
import {
  type AuthenticatedKey,
  keyOf,
  pathParameter,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import type { Wallet } from '../../wallet/index.ts';
import { callLedger, LEDGER_DEADLINE_MS, PendingChargeLookups } from './ledger-calls.ts';
import {
  optionalOneOf,
  optionalTag,
  optionalText,
  parsePage,
  parseTraceId,
  parseUuid,
  rejectUnknownParameters,
} from './query.ts';
import { parseTimeRange, RANGES } from './time-range.ts';

const PARAMETERS = ['start', 'end', 'limit', 'cursor', 'model', 'key_id', 'status', 'tag', 'session', 'trace_id'];

/**
 * GET /v1/billing/requests: the records of a time range, newest first, or the one with a trace id. A derived key sees its own, as in
 * the lookup below.
 */
export function createBillingRequestsHandler(deps: { ledger: LedgerServiceClient }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, PARAMETERS);
    const key = keyOf(res.locals.context);
    const trace = optionalText(req.query, 'trace_id');
    sendJson(res, trace === undefined ? await list(deps, key, req.query) : await byTrace(deps, key, req.query, trace));
  };
}

async function byTrace(
  { ledger }: { ledger: LedgerServiceClient },
  owner: AuthenticatedKey,
  query: TollgateRequest['query'],
  text: string,
): Promise<object> {
  const other = Object.keys(query).find((name) => name !== 'trace_id');
  if (other !== undefined)
    throw apiErrors.invalidRequest(`${other} cannot be combined with trace_id, which identifies a single request.`);
  const by = { $case: 'traceId' as const, value: parseTraceId(text, 'trace_id') };
  const call = unaryCall(
    ledger.getCharge.bind(ledger),
    { accountId: owner.accountId, by, waitMs: 0 },
    { deadlineMs: LEDGER_DEADLINE_MS },
  );
  return { data: [renderBillingCharge(requireVisible(owner, await callLedger('record', call)))], next_cursor: null };
}

async function list(
  { ledger }: { ledger: LedgerServiceClient },
  owner: AuthenticatedKey,
  query: TollgateRequest['query'],
): Promise<object> {
  const range = parseTimeRange(query, RANGES.records);
  const status = optionalOneOf(query, 'status', CHARGE_STATUS_NAMES);
  const key = optionalText(query, 'key_id');
  const model = optionalText(query, 'model') ?? '';
  const asked = key === undefined ? '' : parseUuid(key, 'key_id');
  const { accountId } = owner;
  const keyId = isDerived(owner) ? owner.keyId : asked;
  if (asked !== '' && asked !== keyId) return { data: [], next_cursor: null };
  const tag = optionalTag(query, 'tag');
  const session = optionalText(query, 'session') ?? '';
  const filters = [model, keyId, status ?? '', tag.name, tag.value, session];
  const { limit, cursor, nextCursor } = parsePage(query, ['requests', accountId, ...filters]);
  const request = {
    accountId,
    ...range,
    limit,
    cursor,
    model,
    keyId,
    status: status === undefined ? ChargeStatus.UNSPECIFIED : chargeStatusOf(status),
    tagName: tag.name,
    tagValue: tag.value,
    clientSessionId: session,
    projectId: '',
    ownerId: '',
  };
  const call = unaryCall(ledger.listCharges.bind(ledger), request, { deadlineMs: LEDGER_DEADLINE_MS });
  const page = await callLedger('record', call);
  return { data: page.charges.map(renderBillingCharge), next_cursor: nextCursor(page.nextCursor) };
}

/** A charge that a key may see. @throws ApiError (404) for a derived key if another key was charged */
function requireVisible(owner: AuthenticatedKey, charge: Charge): Charge {
  if (isDerived(owner) && charge.keyId !== owner.keyId) throw apiErrors.recordNotFound('record');
  return charge;
}

/** GET /v1/billing/requests/{request_id}: one record. Waits for the charge of a recent request, which may be pending. */
export function createBillingRequestHandler({
  ledger,
  wallet,
  config,
}: {
  ledger: LedgerServiceClient;
  wallet: Wallet;
  config: Pick<IngressConfig, 'MAX_REQUEST_MS'>;
}) {
  const pendingCharges = new PendingChargeLookups(config.MAX_REQUEST_MS, () => wallet.settleNow());
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, []);
    const key = keyOf(res.locals.context);
    const { accountId, keyId } = key;
    const requestId = parseUuid(pathParameter(req, 'request_id'), 'request_id');
    const charge = await pendingCharges.run(keyId, pendingCharges.waitMs(requestId, Date.now()), (waitMs) =>
      callLedger(
        'record',
        unaryCall(
          ledger.getCharge.bind(ledger),
          { accountId, by: { $case: 'requestId', value: requestId }, waitMs },
          { deadlineMs: LEDGER_DEADLINE_MS },
        ),
      ),
    );
    sendJson(res, renderBillingCharge(requireVisible(key, charge)));
  };
}
