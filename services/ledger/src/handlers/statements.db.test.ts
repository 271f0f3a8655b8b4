import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { StatementLineKind } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { fundedAccount, issueThisMonth, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';

let ledger: ServedLedger;
let accountId: string;
let month: string;
beforeAll(async () => {
  ledger = await serveLedger();
  const { pool } = ledger;
  accountId = await fundedAccount(pool, 100n);
  const sessionId = await leasingSession(pool, accountId, 60n);
  const models = ['a', 'b', 'c'];
  await settle(pool, ...models.map((model) => buildCharge({ accountId, sessionId, model }, 10n)));
  month = await issueThisMonth(pool, accountId);
});
afterAll(() => ledger.drop());

const deadline = { deadlineMs: 5_000 };

function list(fields: { accountId?: string; limit?: number; cursor?: string } = {}) {
  const request = { accountId, limit: 10, cursor: '', ...fields };
  return unaryCall(ledger.client.listStatements.bind(ledger.client), request, deadline);
}

function get(ofMonth: string, ofAccount = accountId) {
  const request = { accountId: ofAccount, month: ofMonth };
  return unaryCall(ledger.client.getStatement.bind(ledger.client), request, deadline);
}

function lines(fields: { month?: string; limit?: number; cursor?: string } = {}) {
  const request = { accountId, month, limit: 10, cursor: '', ...fields };
  return unaryCall(ledger.client.listStatementLines.bind(ledger.client), request, deadline);
}

it('lists statements by page, and gets one', async () => {
  const { data, nextCursor } = await list();
  expect(data).toMatchObject([{ accountId, month, depositsNanos: 100n, chargesNanos: -30n, closingNanos: 70n }]);
  expect(nextCursor).toBe('');
  expect(await list({ cursor: month })).toEqual({ data: [], nextCursor: '' });
  expect(await get(month)).toEqual(data[0]);
  expect(await list({ accountId: newId() })).toEqual({ data: [], nextCursor: '' });
});

it('lists lines by page, in order', async () => {
  const all = await lines();
  expect(all.nextCursor).toBe('');
  expect(all.data.map(({ kind }) => kind)).toEqual([
    StatementLineKind.DEPOSIT,
    StatementLineKind.CHARGES,
    StatementLineKind.CHARGES,
    StatementLineKind.CHARGES,
  ]);
  const first = await lines({ limit: 3 });
  const second = await lines({ limit: 3, cursor: first.nextCursor });
  expect([...first.data, ...second.data]).toEqual(all.data);
  expect(second.nextCursor).toBe('');
});

it('has nothing of other months and accounts', async () => {
  const notFound = { code: status.NOT_FOUND, details: 'month: the account has no statement of it' };
  await expect(get('2000-01')).rejects.toMatchObject(notFound);
  await expect(get(month, newId())).rejects.toMatchObject(notFound);
  await expect(lines({ month: '2000-01' })).rejects.toMatchObject(notFound);
});

it.each(['2026', '2026-13', '2026-1', '26-01', ''])('refuses the month %j', async (wrong) => {
  await expect(get(wrong)).rejects.toMatchObject({ details: 'month: must be a month such as 2026-11' });
});

it('refuses unknown cursors', async () => {
  await expect(list({ cursor: 'x' })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  await expect(lines({ cursor: '-1' })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
});
