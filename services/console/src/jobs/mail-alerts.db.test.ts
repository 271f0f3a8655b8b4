import { CHECKOUT, type Child, findFreePort, startChild, startWatchdog } from '@tollgate/local';
import { waitForHttp } from '@tollgate/local/stack/ready';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MailServer } from '../../testing/mail-server.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const DOLLAR = 1_000_000_000n;

let smtp: MailServer;
let running: RunningConsole;
const watchdog = startWatchdog();
const children: Child[] = [];
beforeAll(async () => {
  smtp = await MailServer.start();
  running = await RunningConsole.start();
});
afterAll(async () => {
  await Promise.all(children.map((child) => child.stop(5_000)));
  await watchdog.close();
  await running?.stop();
  await smtp?.stop();
});

/** A console as a process of its own, which is ready. */
async function startProcess(): Promise<Child> {
  const { auth, ledger } = running;
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const child = await startChild({
    name: 'console',
    command: process.execPath,
    args: ['services/console/src/main.ts'],
    cwd: CHECKOUT,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      LISTEN_HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: ledger.url,
      CONSOLE_URL: url,
      BASE_URL: url,
      AUTH_ADDRESS: auth.address,
      LEDGER_ADDRESS: `127.0.0.1:${ledger.server.port}`,
      ROUTER_ADDRESS: '127.0.0.1:1',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Tollgate <alerts@example.com>',
    },
    onLine: () => undefined,
    watchdog,
  });
  children.push(child);
  await waitForHttp(child, `${url}/health/ready`);
  return child;
}

/** Lets the balance of a new account fall to a threshold; returns the address of its owner. */
async function alert(): Promise<string> {
  const accountId = await running.createAccount();
  const { api, email } = await running.signedIn('owner', accountId);
  const body = { thresholds: ['5'] };
  await api.ok('PUT /accounts/{account_id}/alerts', { path: { account_id: accountId }, body });
  await running.fund(accountId, 6n * DOLLAR);
  await running.charge(accountId, { costNanos: 2n * DOLLAR });
  return email;
}

it('two processes mail an alert once, and the other goes on when one stops', async () => {
  const [first] = await Promise.all([startProcess(), startProcess()]);
  const hasBegun = async () => (await running.ledger.pool.query('SELECT 1 FROM console.alert_cursor')).rows.length;
  await expect.poll(hasBegun).toBe(1);
  const together = await alert();
  await expect.poll(() => smtp.to(together)).toHaveLength(1);
  first.kill('SIGTERM');
  expect(await first.ended).toEqual({ code: 0, signal: null });
  const alone = await alert();
  await expect.poll(() => smtp.to(alone)).toHaveLength(1);
  expect(smtp.to(together)).toHaveLength(1);
});
