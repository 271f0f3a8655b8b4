import { describe, expect, it } from 'vitest';
import { TOP_UP, useSimulators } from '../../testing/harness.ts';

const start = useSimulators();

const run = (url: string, name: string, body: object = {}) =>
  fetch(`${url}/_control/${name}`, { method: 'POST', body: JSON.stringify(body) });

describe('the controls', () => {
  it('are served only where they are wanted', async () => {
    const { simulator } = await start();
    expect((await run(simulator.url, 'calls')).status).toBe(401);
  });

  it('pay, dispute and list what there is', async () => {
    const { simulator, stripe } = await start({ hasControl: true });
    const { id } = await stripe.checkout.sessions.create(TOP_UP);
    expect(await (await run(simulator.url, 'pay', { session: id })).json()).toMatchObject({ kind: 'return' });
    const { data } = await stripe.charges.list();
    await run(simulator.url, 'dispute', { charge: data[0]?.id, warning: true });
    expect(await (await run(simulator.url, 'objects')).json()).toMatchObject({
      checkout_sessions: [{ id, status: 'complete' }],
      disputes: [{ status: 'warning_needs_response' }],
    });
  });

  it.each([
    ['pay', { session: 'cs_none' }, 404],
    ['pay', { session: 'cs_none', instrument: 'gold' }, 400],
    ['fail', { fault: { kind: 'status', status: 200 } }, 400],
    ['fly', {}, 404],
  ])('refuse %s with %o', async (name, body, status) => {
    const { simulator } = await start({ hasControl: true });
    expect((await run(simulator.url, name, body)).status).toBe(status);
  });
});
