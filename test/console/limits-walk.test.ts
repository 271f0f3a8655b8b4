import OpenAI, { APIError } from 'openai';
import { expect, it } from 'vitest';
import { NARROW } from './support/browser.ts';
import { MODEL } from './support/gateway-calls.ts';
import { loaded } from './support/loaded.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

/** Calls of an agent's run, which its client names and limits. */
function agentRun(apiKey: string, limit: string) {
  const defaultHeaders = { 'x-tollgate-session': 'nightly run', 'x-tollgate-session-limit': limit };
  const client = new OpenAI({ baseURL: tollgate.facts.base_url, apiKey, maxRetries: 0, defaultHeaders });
  return () =>
    client.chat.completions.create({ model: MODEL, max_tokens: 50, messages: [{ role: 'user', content: 'Go on' }] });
}

/** Calls until it is refused. @returns what refused it */
async function untilStopped(call: () => Promise<unknown>): Promise<unknown> {
  for (let calls = 0; calls < 50; calls++) {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      return (error.error as { details: { limit: unknown } }).details.limit;
    }
  }
  throw new Error('50 calls were not refused');
}

it('a run of an agent is stopped by its limit, asks for more, is granted it, and goes on', async () => {
  const account = await tollgate.createAccount('Walk', '50');
  const admin = await tollgate.person('admin', account);
  const developer = await tollgate.person('developer', account);
  const { page } = await tollgate.open(admin);
  const dialog = page.getByRole('dialog');

  // A project with 10 dollars a month, and a service account in it.
  await page.goto(tollgate.page(account, '/projects'));
  await page.getByRole('table', { name: 'Projects' }).getByRole('link', { name: 'default' }).waitFor();
  await page.getByRole('button', { name: 'Create project' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Agents');
  await dialog.getByLabel('Cap per month').fill('10');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
  await page.getByRole('button', { name: 'Create service account' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('nightly');
  await dialog.getByRole('button', { name: 'Create service account' }).click();
  await page.getByRole('button', { name: 'Actions for nightly' }).click();
  await page.getByRole('menuitem', { name: 'Create key' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('nightly-1');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = (await dialog.getByText(/^sk-/).first().textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();

  // A run with a limit for a few calls, which stops it.
  await agentRun(secret, '1')();
  const [{ cost = '0' } = {}] = await requestsOf(admin, account, 1, { status: 'completed' });
  const limit = (Number(cost) * 4).toFixed(9);
  const run = agentRun(secret, limit);
  expect(await untilStopped(run)).toMatchObject({ scope: 'session', id: 'nightly run', window: 'session' });
  const [refused] = await requestsOf(admin, account, 1, { status: 'refused' });

  // Who was stopped asks for more on the page of the refused request.
  await page.goto(tollgate.page(account, `/requests/${refused?.request_id}`));
  await page.getByRole('button', { name: 'Ask for more' }).click();
  await dialog.getByLabel('Reason').fill('The run has twice the files');
  await dialog.getByLabel('Limit that would do').fill('1');
  await expectUsable(page);
  await keepScreenshot(page, 'ask-for-more');
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText(/You asked for more .* There is no answer yet/).waitFor();
  await loaded(page);
  await expectUsable(page);
  await keepScreenshot(page, 'asked-for-more');

  // Who may grant it sees what is spent, and grants less.
  await page.getByRole('link', { name: /^Limit requests\s*1$/ }).click();
  const table = page.getByRole('table', { name: 'Limit requests' });
  await table.getByText('Limit of the session nightly run').waitFor();
  await loaded(page);
  await expectUsable(page);
  await keepScreenshot(page, 'limit-requests');
  await page.getByRole('button', { name: /^Answer the limit request of/ }).click();
  await dialog.getByText('The run has twice the files').waitFor();
  await dialog.getByText(/ spent, .* held, .* left of /).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'answer-limit-request');
  await dialog.getByLabel('New limit').fill('0.5');
  await dialog.getByLabel('Note').fill('Half will do');
  await dialog.getByRole('button', { name: 'Grant' }).click();
  await dialog.waitFor({ state: 'detached' });
  await table.getByText('Granted', { exact: true }).last().waitFor();

  // The run goes on, although its client shows the old limit.
  for (let calls = 0; calls < 10; calls++) await run();
  await page.goto(tollgate.page(account, `/requests/${refused?.request_id}`));
  await page.getByText(/\$0\.5000 for this session, granted by .*Half will do/).waitFor();

  // Somebody who may not grant has no count in the rail, and sees what they asked for themselves.
  const own = await createKey(developer, account, {
    name: 'own',
    caps: { day: '0.000000001', week: null, month: null, total: null },
  });
  await untilStopped(agentRun(own.secret, '1'));
  const [ofOwn] = await requestsOf(developer, account, 1, { status: 'refused' });
  const { page: theirs } = await tollgate.open(developer);
  await theirs.goto(tollgate.page(account, `/requests/${ofOwn?.request_id}`));
  await theirs.getByRole('button', { name: 'Ask for more' }).click();
  await theirs.getByRole('dialog').getByLabel('Reason').fill('It is too little');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
  await theirs.getByRole('link', { name: 'See the limit request' }).click();
  await theirs.getByRole('dialog').getByText('There is no answer yet.').waitFor();
  expect(await theirs.getByRole('button', { name: 'Grant' }).count()).toBe(0);
  await theirs.setViewportSize(NARROW);
  await loaded(theirs);
  await expectUsable(theirs);
  await keepScreenshot(theirs, 'limit-request-narrow');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await theirs.getByText('Withdrawn').first().waitFor();
  await loaded(theirs);
  await expectUsable(theirs);
  await keepScreenshot(theirs, 'limit-requests-narrow');
});
