import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MailServer } from '../../testing/mail-server.ts';
import { RunningConsole, type SignedIn } from '../../testing/running-console.ts';

const ROUTE = 'POST /accounts/{account_id}/invitations';

let mails: MailServer;
let running: RunningConsole;
beforeAll(async () => {
  mails = await MailServer.start();
  running = await RunningConsole.start({ SMTP_URL: mails.url, MAIL_FROM: 'Tollgate <t@example.com>' });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await running.stop();
  await mails.stop();
});

const newEmail = () => `${randomUUID()}@example.com`;

async function newOwner(accountName?: string): Promise<SignedIn & { accountId: string }> {
  const accountId = await running.createAccount(accountName);
  return { accountId, ...(await running.signedIn('owner', accountId)) };
}

const invite = ({ api, accountId }: { api: SignedIn['api']; accountId: string }, email = newEmail()) =>
  api.call(ROUTE, { path: { account_id: accountId }, body: { email, role: 'developer' } });

describe('an invitation', () => {
  it('whose e-mail is not sent shows its link to nobody', async () => {
    const { mailer } = running.console.dependencies;
    if (mailer === undefined) throw new Error('no mail server');
    vi.spyOn(mailer, 'send').mockRejectedValue(new Error('too many e-mails are waiting'));
    const refused = await invite(await newOwner());
    expect(refused).toMatchObject({ status: 503, error: { code: 'unavailable' } });
    expect(JSON.stringify(refused.body)).not.toContain('#');
  });

  it('quotes what strangers are mailed, in one short line', async () => {
    const name = `Ana\u2028\u202E\u201D. Claim your $500 at evil.example/${'x'.repeat(120)}`;
    const email = newEmail();
    expect((await invite(await newOwner(name), email)).status).toBe(200);
    const [mail] = mails.to(email);
    expect(mail?.subject).toBe('Invitation to an account on Tollgate');
    const [text = ''] = (mail?.source ?? '').split('Accept the invitation');
    expect(text).not.toContain('x'.repeat(40));
    expect(text).not.toMatch(/\u2028|\u202E|=E2=80=A8|=E2=80=AE/);
  });

  it.each([
    ['person', 30, (owner: Awaited<ReturnType<typeof newOwner>>) => invite(owner)],
    ['address', 5, (owner: Awaited<ReturnType<typeof newOwner>>) => invite(owner, 'ceo@example.com')],
  ])('is limited for a %s', async (_, most, once) => {
    const { mailer } = running.console.dependencies;
    if (mailer !== undefined) vi.spyOn(mailer, 'send').mockResolvedValue();
    const owner = await newOwner();
    const statuses: number[] = [];
    for (let index = 0; index <= most; index++) statuses.push((await once(owner)).status);
    expect(statuses).toEqual([...Array.from({ length: most }, () => 200), 429]);
  });

  it('of an owner is not made by a management key, nor is a member made one', async () => {
    const { accountId } = await newOwner();
    const member = await running.signedIn('billing', accountId);
    const program = await running.program('owner', accountId);
    const ofOperators = await running.program('operator');
    const path = { account_id: accountId };
    for (const api of [program, ofOperators]) {
      const body = { email: newEmail(), role: 'owner' as const };
      expect(await api.call(ROUTE, { path, body })).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
      const change = { path: { ...path, person_id: member.personId }, body: { role: 'owner' as const } };
      expect(await api.call('PATCH /accounts/{account_id}/members/{person_id}', change)).toMatchObject({ status: 403 });
    }
    expect(await program.call(ROUTE, { path, body: { email: newEmail(), role: 'admin' } })).toMatchObject({
      status: 200,
    });
  });
});
