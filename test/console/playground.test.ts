import { expect, it } from 'vitest';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { useConsole } from './support/use-console.ts';

const tollgate = useConsole();

it('a chat streams, shows its cost and the same call as code, and leads to its request', async () => {
  const account = await tollgate.createAccount('Playground', '5');
  const { page } = await tollgate.open(await tollgate.person('developer', account));
  const sent: string[] = [];
  page.on('request', (request) => sent.push(new URL(request.url()).pathname));
  await page.goto(tollgate.page(account, '/playground'));
  await page.getByLabel('Message', { exact: true }).fill('What is a tollgate?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Finish reason').waitFor();
  const cost = await page
    .getByText(/^\$0\.\d{9}$/)
    .first()
    .textContent();
  for (const client of ['curl', 'JavaScript', 'Python']) {
    await page.getByRole('tab', { name: new RegExp(client, 'i') }).click();
    await page.getByRole('tabpanel').getByText('What is a tollgate?').first().waitFor();
  }
  await expectUsable(page);
  await keepScreenshot(page, 'playground-response');
  // The browser calls the console only: the key of the call stays on the server.
  expect(sent.filter((path) => path.startsWith('/v1/'))).toEqual([]);
  await page.getByRole('link', { name: /^[0-9a-f-]{32,36}$/ }).click();
  await page.getByText('Held while it ran').waitFor();
  await page.getByRole('row', { name: `Charge ${cost}` }).waitFor();
});

it('a reply continues the conversation', async () => {
  const account = await tollgate.createAccount('Replies', '5');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await page.goto(tollgate.page(account, '/playground?model=simulated-large'));
  await page.getByLabel('Message', { exact: true }).fill('First question');
  await page.getByLabel('Message', { exact: true }).press('Control+Enter');
  await page.getByRole('button', { name: 'Reply' }).click();
  await page.getByLabel('User message').nth(1).fill('Second question');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Finish reason').waitFor();
  expect(await page.getByLabel('Assistant message').inputValue()).not.toBe('');
});

it('without credit it says so and leads to Top up', async () => {
  const account = await tollgate.createAccount('No credit');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await page.goto(tollgate.page(account, '/playground'));
  await page.getByLabel('Message', { exact: true }).fill('Is there credit?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('alert').getByRole('link', { name: 'Top up' }).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'playground-no-credit');
  await page.getByRole('alert').getByRole('link', { name: 'Top up' }).click();
  await page.waitForURL(tollgate.page(account, '/top-up'));
});
