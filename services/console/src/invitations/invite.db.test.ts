import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunningConsole } from '../../testing/running-console.ts';

const mails: string[] = [];
let smtp: SMTPServer;
let running: RunningConsole;
beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('refused') ? new Error('no such mailbox') : null),
    onData: (stream, _session, done) => {
      buffer(stream).then(
        (bytes) => {
          // Lines of quoted-printable that end in an equals sign continue.
          mails.push(bytes.toString('utf8').replace(/=\r\n/g, '').replaceAll('=3D', '='));
          done();
        },
        (error: Error) => done(error),
      );
    },
  });
  const listening = smtp.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  running = await RunningConsole.start({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Tollgate <t@example.com>' });
});
afterAll(async () => {
  await running.stop();
  await new Promise<void>((resolve) => smtp.close(resolve));
});

it('an invitation is mailed with its link, which is not in the response then', async () => {
  const accountId = await running.createAccount('Research & more');
  const { api, email } = await running.signedIn('owner', accountId);
  const path = { account_id: accountId };
  const body = { email: 'new@example.com', role: 'developer' as const };
  const made = await api.ok('POST /accounts/{account_id}/invitations', { path, body });
  expect(made).toMatchObject({ mailed: true, link: null });
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain('To: new@example.com');
  expect(mails[0]).toContain(email);
  expect(mails[0]).toMatch(new RegExp(`${running.url}/invitation#[\\w-]{43}`));
});

it('an invitation whose mail is refused shows its link', async () => {
  const accountId = await running.createAccount();
  const { api } = await running.signedIn('owner', accountId);
  const body = { email: 'refused@example.com', role: 'developer' as const };
  const made = await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: accountId }, body });
  expect(made.mailed).toBe(false);
  expect(made.link).toMatch(/\/invitation#[\w-]{43}$/);
});
