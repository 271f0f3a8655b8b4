import { newId } from '@tollgate/common/ids';
import { AlertAudience, Role } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { type CallAs, People } from '../../testing/people.ts';

let fixture: AuthFixture;
let people: People;
/** The console's job, which has no actor. */
let job: CallAs;
beforeAll(async () => {
  fixture = await startAuth();
  people = new People(fixture.auth);
  job = people.callsWith(async () => undefined);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

const recipients = (accountId: string, audience: AlertAudience = AlertAudience.UNSPECIFIED, personId = '') =>
  job((client) => client.listAlertRecipients.bind(client), { accountId, audience, personId });
const set = (call: CallAs, accountId: string, enabled: boolean) =>
  call((client) => client.setAlertMails.bind(client), { accountId, enabled });

/** An account with a member of each role. */
async function setUp() {
  const { accountId } = await fixture.auth.createAccount('Acme');
  const [admin, developer, billing, owner] = [
    await people.member(accountId, Role.ADMIN),
    await people.member(accountId, Role.DEVELOPER),
    await people.member(accountId, Role.BILLING),
    await people.member(accountId, Role.OWNER),
  ];
  return { accountId, admin, developer, billing, owner };
}

describe('recipients of alerts', () => {
  it('are owners, then billing members', async () => {
    const { accountId, owner, billing } = await setUp();
    expect(await recipients(accountId)).toEqual({
      accountName: 'Acme',
      recipients: [owner, billing].map(({ personId, person: { email } }) => ({ personId, email })),
    });
    expect(await recipients(newId())).toEqual({ accountName: '', recipients: [] });
  });

  it('of limits are who may raise them, and of an answer one member', async () => {
    const { accountId, owner, admin, developer } = await setUp();
    const stranger = await setUp();
    const idsOf = async (audience: AlertAudience, personId = '') =>
      (await recipients(accountId, audience, personId)).recipients.map((recipient) => recipient.personId);
    await set(owner.call, accountId, false);
    expect(await idsOf(AlertAudience.LIMITS)).toEqual([owner.personId, admin.personId]);
    expect(await idsOf(AlertAudience.PERSON, developer.personId)).toEqual([developer.personId]);
    expect(await idsOf(AlertAudience.PERSON, stranger.developer.personId)).toEqual([]);
    await expect(recipients(accountId, AlertAudience.PERSON)).rejects.toMatchObject({ code: 3 });
  });

  it('are none while the account has turned the e-mails off, as an audit entry says', async () => {
    const { accountId, owner, billing } = await setUp();
    await set(billing.call, accountId, false);
    await set(owner.call, accountId, false);
    expect(await recipients(accountId)).toEqual({ accountName: '', recipients: [] });
    const { account } = await owner.call((client) => client.getAccount.bind(client), { accountId });
    expect(account?.alertMails).toBe(false);
    await set(people.operator, accountId, true);
    expect((await recipients(accountId)).recipients).toHaveLength(2);
    const { rows } = await fixture.pool.query(
      `SELECT actor_role, details FROM auth.audit WHERE account_id = $1 AND action = 'account.update' ORDER BY entry_id`,
      [accountId],
    );
    expect(rows).toEqual([
      { actor_role: 'billing', details: { alert_mails: 'on → off' } },
      { actor_role: 'operator', details: { alert_mails: 'off → on' } },
    ]);
  });
});

it('e-mails of alerts are turned off by nobody else, and not for an account that does not exist', async () => {
  const { accountId, admin, developer } = await setUp();
  const stranger = await setUp();
  for (const { call } of [admin, developer, stranger.owner]) {
    await expect(set(call, accountId, false)).rejects.toMatchObject({ code: 7 });
  }
  await expect(set(people.operator, newId(), false)).rejects.toMatchObject({ code: 5 });
  expect((await recipients(accountId)).recipients).toHaveLength(2);
});
