import { randomUUID } from 'node:crypto';
import {
  OIDC_CLIENT,
  type ProviderPerson,
  type RunningProvider,
  runOidcProvider,
} from '@tollgate/console/testing/oidc-provider';
import { type ServedConsole, serveConsole } from '@tollgate/console/testing/serve-console';
import { findFreePort } from '@tollgate/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from './support/people.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { useConsole } from './support/use-console.ts';

const tollgate = useConsole();

describe('with a password', () => {
  it('refuses a wrong one in plain words, then leads to the page that was asked for', async () => {
    const account = await tollgate.createAccount('Password');
    const { email } = await tollgate.person('admin', account);
    const { page } = await tollgate.open();
    await page.goto(tollgate.page(account, '/keys?status=all'));
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('You are not signed in.').waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'sign-in-refused');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(tollgate.page(account, '/keys?status=all'));
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  });

  it('ends with sign-out: Back shows nothing', async () => {
    const account = await tollgate.createAccount('Sign-out');
    const { page } = await tollgate.open(await tollgate.person('owner', account));
    await page.goto(tollgate.page(account, '/members'));
    await page.getByRole('button', { name: /sign out$/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${tollgate.url}/sign-in`);
    await page.goBack();
    await page.waitForURL(/\/sign-in\?next=/);
    expect(await page.getByText('Otto Owner').count()).toBe(0);
  });
});

describe('with OpenID Connect', () => {
  const person = (name: string, domain: string): ProviderPerson => ({
    subject: `subject-${name}`,
    email: `${name}-${randomUUID().slice(0, 8)}@${domain}`,
    emailVerified: true,
    name: `Person ${name}`,
  });
  const invited = person('invited', 'example.com');
  const joining = person('joining', 'joins.example');
  const stranger = person('stranger', 'example.com');
  let provider: RunningProvider;
  /** A second console before the same services, which knows the provider. */
  let served: ServedConsole;
  let joined: string;

  beforeAll(async () => {
    joined = await tollgate.createAccount('Joined by domain');
    const { facts } = tollgate;
    const port = await findFreePort();
    const { auth, ledger, router } = facts.grpc;
    served = await serveConsole(
      { databaseUrl: facts.database_url, auth, ledger, router, gateway: facts.base_url },
      {
        OIDC_ISSUER: `http://localhost:${port}`,
        OIDC_CLIENT_ID: OIDC_CLIENT.id,
        OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
        OIDC_NAME: 'Example Inc.',
        OIDC_JOIN: `joins.example=${joined}:developer`,
      },
    );
    provider = await runOidcProvider(port, `${served.url}/oidc/callback`, [invited, joining, stranger]);
  });
  afterAll(async () => {
    await served?.stop();
    await provider?.stop();
  });

  /** Opens the console and chooses a person at the provider. */
  async function signInAs({ name }: ProviderPerson, path: `/${string}` = '/') {
    const { page } = await tollgate.open();
    await page.goto(served.url + path);
    await page.getByRole('link', { name: 'Sign in with Example Inc.' }).waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'sign-in-oidc');
    await page.getByRole('link', { name: 'Sign in with Example Inc.' }).click();
    await page.getByRole('link', { name }).click();
    return page;
  }

  it('lets an invited person into the account, at the page that was asked for', async () => {
    const account = await tollgate.createAccount('Invited by address');
    const { api } = await tollgate.operator();
    const body = { email: invited.email, role: 'owner' as const };
    await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: account }, body });
    const page = await signInAs(invited, `/accounts/${account}/members`);
    await page.waitForURL(`${served.url}/accounts/${account}/members`);
    await page.getByRole('row', { name: /Person invited/ }).waitFor();
  });

  it('lets a person of an allowed domain join its account without an invitation', async () => {
    const page = await signInAs(joining);
    await page.waitForURL(`${served.url}/accounts/${joined}/overview`);
    await page.getByRole('button', { name: /^PJ, Person joining/ }).waitFor();
    const { api } = await tollgate.operator();
    const { data } = await api.ok('GET /accounts/{account_id}/members', { path: { account_id: joined } });
    expect(data).toMatchObject([{ email: joining.email, role: 'developer' }]);
    // Without a password there is none to change.
    await page.goto(`${served.url}/profile`);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0);
  });

  it('refuses a stranger and says what to do', async () => {
    const page = await signInAs(stranger);
    await page.waitForURL(/\/sign-in\?error=not_allowed/);
    await page.getByText('Ask an owner or admin for an invitation.').waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'sign-in-stranger');
  });
});
