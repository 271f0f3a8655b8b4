import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunningConsole } from '../../testing/running-console.ts';

let running: RunningConsole;
beforeAll(async () => {
  running = await RunningConsole.start();
});
afterAll(() => running.stop());

it('an operator who views an account spends nothing by a key that they made there before', async () => {
  const path = { account_id: await running.createAccount() };
  const { api } = await running.signedIn('operator');
  const body = { model: 'small', messages: [{ role: 'user' as const, content: 'Hi' }] };
  // No gateway runs, but the key is made.
  expect((await api.call('POST /accounts/{account_id}/playground', { path, body })).status).toBe(200);
  await api.ok('PUT /session/view-as', { body: path });
  const refused = await api.call('POST /accounts/{account_id}/playground', { path, body });
  expect(refused).toMatchObject({ status: 403, error: { code: 'not_allowed' } });
});
