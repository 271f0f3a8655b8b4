import { randomUUID } from 'node:crypto';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { AuthServiceClient, Role } from '@tollgate/proto/auth';
import { DepositKind, LedgerServiceClient } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../testing/api-client.ts';
import { RunningConsole } from '../testing/running-console.ts';
import type { ServedConsole } from '../testing/serve-console.ts';

const DENIED = { code: 7 };

let running: RunningConsole;
let other: ServedConsole;
let auth: AuthServiceClient;
let ledger: LedgerServiceClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  other = await running.replica();
  auth = createGrpcClient(AuthServiceClient, running.auth.address);
  ledger = createGrpcClient(LedgerServiceClient, `127.0.0.1:${running.ledger.server.port}`);
});
afterAll(async () => {
  auth.close();
  ledger.close();
  await other.stop();
  await running.stop();
});

const deposit = () => ({
  kind: 'deposit' as const,
  amount: '1000',
  reason: 'a gift',
  idempotency_key: randomUUID(),
});

it('an operator who was removed credits nothing from then on, at any console', async () => {
  const path = { account_id: await running.createAccount() };
  const keeper = await running.signedIn('operator');
  const removed = await running.signedIn('operator');
  const elsewhere = await other.signIn(removed.personId);
  for (const api of [removed.api, elsewhere]) {
    await api.ok('POST /accounts/{account_id}/deposits', { path, body: deposit() });
    await api.ok('GET /operator/accounts');
  }
  await keeper.api.ok('DELETE /operator/operators/{person_id}', { path: { person_id: removed.personId } });
  for (const api of [removed.api, elsewhere]) {
    const body = deposit();
    expect(await api.call('POST /accounts/{account_id}/deposits', { path, body })).toMatchObject({ status: 403 });
    const suspension = { path, body: { reason: 'out of spite' } };
    expect(await api.call('POST /accounts/{account_id}/suspend', suspension)).toMatchObject({ status: 403 });
    expect(await api.call('GET /operator/accounts')).toMatchObject({ status: 403 });
  }
  const { available } = await keeper.api.ok('GET /accounts/{account_id}/balance', { path });
  expect(available).toBe('2000');
});

it('a member who was removed, and a management key that was deleted, are refused at once at any console', async () => {
  const account_id = await running.createAccount();
  const owner = await running.signedIn('owner', account_id);
  const admin = await running.signedIn('admin', account_id);
  const elsewhere = await other.signIn(admin.personId);
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const made = await owner.api.ok('POST /accounts/{account_id}/management-keys', {
    path: { account_id },
    body: { name: 'a program', role: 'admin', expires_at },
  });
  const programs = [running.url, other.url].map((url) => new ApiClient(url, { managementKey: made.secret }));
  for (const api of [admin.api, elsewhere, ...programs]) {
    await api.ok('GET /accounts/{account_id}/keys', { path: { account_id } });
  }
  const person = { path: { account_id, person_id: admin.personId } };
  await owner.api.ok('DELETE /accounts/{account_id}/members/{person_id}', person);
  for (const api of [admin.api, elsewhere]) {
    expect(await api.call('GET /accounts/{account_id}/keys', { path: { account_id } })).toMatchObject({ status: 403 });
  }
  const { management_key_id } = made.key;
  const key = { path: { account_id, management_key_id } };
  await owner.api.ok('DELETE /accounts/{account_id}/management-keys/{management_key_id}', key);
  for (const api of programs) {
    expect(await api.call('GET /accounts/{account_id}/keys', { path: { account_id } })).toMatchObject({ status: 401 });
  }
});

it('a token that has outlived its role reads for a moment, and changes nothing', async () => {
  const accountId = await running.createAccount();
  const { key } = await running.auth.createKey(accountId);
  const keeper = await running.signedIn('operator');
  const removed = await running.signedIn('operator');
  const request = { personId: removed.personId, accountId: '', viewAs: false };
  const { token: actorToken } = await unaryCall(auth.issueActorToken.bind(auth), request, { deadlineMs: 20_000 });
  const options = { deadlineMs: 20_000, actorToken };
  await keeper.api.ok('DELETE /operator/operators/{person_id}', { path: { person_id: removed.personId } });

  const money = { accountId, kind: DepositKind.DEPOSIT, amountNanos: 1n, idempotencyKey: 'k', reason: 'r' };
  const charge = { accountId, requestId: randomUUID(), contentHash: '' };
  const invitation = { accountId, email: 'eve@example.com', role: Role.OWNER, secretSha256: Buffer.alloc(32) };
  const changes: Record<string, () => Promise<unknown>> = {
    deposit: () => unaryCall(ledger.deposit.bind(ledger), money, options),
    repostQuarantined: () => unaryCall(ledger.repostQuarantined.bind(ledger), charge, options),
    suspendAccount: () => unaryCall(auth.suspendAccount.bind(auth), { accountId, reason: 'r' }, options),
    updateAccount: () =>
      unaryCall(
        auth.updateAccount.bind(auth),
        { accountId, discountPpm: 1_000_000, limits: undefined, priceRules: undefined },
        options,
      ),
    deleteKey: () => unaryCall(auth.deleteKey.bind(auth), { keyId: key.keyId, accountId }, options),
    removeOperator: () => unaryCall(auth.removeOperator.bind(auth), { personId: keeper.personId }, options),
    createInvitation: () =>
      unaryCall(auth.createInvitation.bind(auth), { ...invitation, expiresAtMs: BigInt(Date.now() + 60_000) }, options),
  };
  const refused = await Promise.allSettled(Object.values(changes).map((change) => change()));
  const codes = refused.map((each) => (each.status === 'rejected' ? each.reason.code : 'done'));
  expect(Object.fromEntries(Object.keys(changes).map((name, index) => [name, codes[index]]))).toEqual(
    Object.fromEntries(Object.keys(changes).map((name) => [name, DENIED.code])),
  );
  await unaryCall(auth.getAccount.bind(auth), { accountId }, options);
});
