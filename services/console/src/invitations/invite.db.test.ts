import { afterAll, beforeAll, expect, it } from 'vitest';
import { MailServer } from '../../testing/mail-server.ts';
import { RunningConsole } from '../../testing/running-console.ts';

let mails: MailServer;
let running: RunningConsole;
beforeAll(async () => {
  mails = await MailServer.start();
  running = await RunningConsole.start({ SMTP_URL: mails.url, MAIL_FROM: 'Tollgate <t@example.com>' });
});
afterAll(async () => {
  await running.stop();
  await mails.stop();
});

it('an invitation is mailed with its link, which is not in the response then', async () => {
  const accountId = await running.createAccount('Research & more');
  const { api, email } = await running.signedIn('owner', accountId);
  const path = { account_id: accountId };
  const body = { email: 'new@example.com', role: 'developer' as const };
  const made = await api.ok('POST /accounts/{account_id}/invitations', { path, body });
  expect(made).toMatchObject({ mailed: true, link: null });
  expect(mails.mails.map(({ to }) => to)).toEqual(['new@example.com']);
  expect(mails.mails[0]?.source).toContain(email);
  expect(mails.mails[0]?.source).toMatch(new RegExp(`${running.url}/invitation#[\\w-]{43}`));
});

it('an invitation to an address that the mail server refuses says so, and shows its link to nobody', async () => {
  mails.refusedRecipients.set('refused@example.com', 550);
  const accountId = await running.createAccount();
  const { api } = await running.signedIn('owner', accountId);
  const body = { email: 'refused@example.com', role: 'developer' as const };
  const path = { account_id: accountId };
  const refused = await api.call('POST /accounts/{account_id}/invitations', { path, body });
  const message = 'The mail server refuses this address. Check how it is written.';
  expect(refused).toMatchObject({ status: 400, error: { code: 'invalid_request', field: 'email', message } });
  expect(refused.headers.get('retry-after')).toBeNull();
  expect(JSON.stringify(refused.body)).not.toContain('/invitation#');
});
