import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { actorWith, tokenFor } from '@tollgate/common/testing/actors';
import { ListAuditRequest } from '@tollgate/proto/audit';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';

let fixture: AuthFixture;
/** Without the operator's token, which the client of the fixture attaches. */
let client: AuthServiceClient;

beforeAll(async () => {
  fixture = await startAuth();
  client = createGrpcClient(AuthServiceClient, fixture.auth.address);
});
afterAll(async () => {
  client?.close();
  await fixture?.stop();
});

async function audit(filter: Parameters<typeof ListAuditRequest.fromPartial>[0], actor = actorWith()) {
  const range = { startMs: 0n, endMs: BigInt(Date.now() + 60_000), limit: 100 };
  const request = ListAuditRequest.fromPartial({ ...range, ...filter });
  const options = { deadlineMs: 20_000, actorToken: await tokenFor(actor) };
  return unaryCall(client.listAudit.bind(client), request, options);
}

describe('the audit log', () => {
  it('has who changed what from which value to which, and never a secret', async () => {
    const { auth } = fixture;
    const { accountId } = await auth.createAccount('Audited');
    const { key, secret } = await auth.createKey(accountId, { name: 'ci', caps: { dayNanos: 2_500_000_000n } });
    await auth.updateKey(key.keyId, { name: 'deploy', caps: {}, limits: { openRequests: 4 } });
    await auth.updateKey(key.keyId, { name: 'deploy' });
    const rotated = await auth.rotateKey(key.keyId, 0);
    await auth.deleteKey(key.keyId);
    await auth.deleteKey(key.keyId);
    await auth.updateAccount(accountId, { discountPpm: 125_000 });
    const rules = [
      { model: 'claude-*', markupPpm: 200_000 },
      { model: '*', markupPpm: -12_500 },
    ];
    await auth.updateAccount(accountId, { priceRules: { rules } });
    await auth.suspend(accountId, 'unpaid');
    await auth.resume(accountId);
    const { entries } = await audit({ accountId });
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['account.resume', { suspension_reason: 'unpaid → none' }],
      ['account.suspend', { suspension_reason: 'none → unpaid' }],
      ['account.update', { price_rules: 'none → claude-* +20 %, * -1.25 %' }],
      ['account.update', { discount: '0 % → 12.5 %' }],
      ['key.delete', {}],
      ['key.rotate', { last_four: `${key.lastFour} → ${rotated.key.lastFour}` }],
      ['key.update', { name: 'ci → deploy', day_cap: '$2.5 → none', open_requests: 'none → 4' }],
      ['key.create', { name: 'ci', day_cap: '$2.5' }],
      ['account.create', {}],
    ]);
    expect(entries[4]).toMatchObject({
      accountId,
      actor: { actorId: '', name: 'test operator', role: 'operator', via: 'cli' },
      targetId: key.keyId,
      targetName: 'deploy',
    });
    const { rows } = await fixture.pool.query<{ row: string }>('SELECT a::text AS row FROM auth.audit a');
    const hidden = [secret, rotated.secret].map((text) => text.slice(key.displayPrefix.length, -8));
    for (const { row } of rows) for (const part of hidden) expect(row).not.toContain(part);
    // Why an account was suspended is for operators.
    const owner = actorWith({ id: newId(), role: 'owner', accountId, via: 'console' });
    expect((await audit({ accountId, action: 'account.suspend' }, owner)).entries[0]?.details).toEqual({});
    // So are the rules of its prices, but not that they changed.
    expect((await audit({ accountId, action: 'account.update' }, owner)).entries.map(({ details }) => details)).toEqual(
      [{ prices: 'changed' }, { discount: '0 % → 12.5 %' }],
    );
  });

  it('is paged and filtered, newest first', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const keys: string[] = [];
    for (let count = 0; count < 5; count++) keys.push((await fixture.auth.createKey(accountId)).key.keyId);
    const all = (await audit({ accountId })).entries;
    expect(all.map((entry) => entry.targetId)).toEqual([...keys.reverse(), accountId]);
    const seen: string[] = [];
    let more = true;
    while (more) {
      const page = await audit({ accountId, limit: 4, beforeEntryId: seen.at(-1) ?? '' });
      seen.push(...page.entries.map((entry) => entry.entryId));
      more = page.more;
    }
    expect(seen).toEqual(all.map((entry) => entry.entryId));
    expect((await audit({ accountId, action: 'key' })).entries).toHaveLength(5);
    expect((await audit({ accountId, action: 'account.create' })).entries).toHaveLength(1);
    expect((await audit({ targetId: keys[0] ?? '' })).entries).toHaveLength(1);
    expect((await audit({ accountId, actorId: newId() })).entries).toEqual([]);
    const newestMs = all[0]?.createdAtMs ?? 0n;
    const early = (await audit({ accountId, endMs: newestMs })).entries;
    expect(early).toEqual(all.filter((entry) => entry.createdAtMs < newestMs));
    expect((await audit({ accountId, startMs: newestMs })).entries[0]).toEqual(all[0]);
  });

  it.each([{ limit: 0 }, { limit: 1_001 }, { startMs: 2n, endMs: 2n }, { action: 'key.%' }, { beforeEntryId: 'x' }])(
    'refuses %o',
    async (filter) => {
      await expect(audit(filter)).rejects.toMatchObject({ code: 3 });
    },
  );

  it.each(["UPDATE auth.audit SET actor_name = 'x'", 'DELETE FROM auth.audit', 'TRUNCATE auth.audit'])(
    'refuses %s',
    async (statement) => {
      await fixture.auth.createAccount();
      await expect(fixture.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
    },
  );

  it('is for owners and operators, each owner of their account', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const member = { id: newId(), accountId, via: 'console' as const };
    await expect(audit({ accountId }, actorWith({ ...member, role: 'admin' }))).rejects.toMatchObject({ code: 7 });
    const owner = actorWith({ ...member, role: 'owner' });
    await expect(audit({}, owner)).rejects.toMatchObject({ code: 7 });
    expect((await audit({ accountId }, owner)).entries).toHaveLength(1);
  });
});
