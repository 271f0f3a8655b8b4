import { describe, expect, it } from 'vitest';
import { TOP_UP, useSimulators } from '../../testing/harness.ts';

const start = useSimulators();

const post = (url: string | null, fields: Record<string, string>) =>
  fetch(url ?? '', { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

describe('the checkout page', () => {
  it('says that no money moves, and shows texts as texts', async () => {
    const { stripe } = await start();
    const { url } = await stripe.checkout.sessions.create(TOP_UP);
    const page = await fetch(url ?? '');
    const text = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('Simulated payment: no money moves');
    expect(text).toContain('$20.00');
    expect(text).toContain('Credit &lt;b&gt;');
    expect(text).not.toContain('<script');
    expect(text).toContain('href="http://127.0.0.1:9/canceled"');
  });

  it('shows why a card was declined', async () => {
    const { stripe } = await start();
    const { url } = await stripe.checkout.sessions.create(TOP_UP);
    const page = await post(url, { outcome: 'declined' });
    expect(await page.text()).toContain('Your card has insufficient funds.');
    expect(await (await post(url, { outcome: 'gold' })).text()).toContain('Choose how to pay.');
  });

  it.each([
    ['approve', 'http://127.0.0.1:9/paid', 'complete'],
    ['fail', undefined, 'open'],
  ] as const)('leads to a bank whose question is answered with %s', async (answer, location, status) => {
    const { simulator, stripe } = await start();
    const session = await stripe.checkout.sessions.create(TOP_UP);
    const challenge = (await post(session.url, { outcome: 'authenticate' })).headers.get('location');
    expect(challenge).toMatch(`${simulator.url}/c/authenticate/pi_`);
    expect(await (await fetch(challenge ?? '')).text()).toContain('Approve');
    const end = await post(challenge, { answer });
    expect(end.headers.get('location')?.split('?')[0]).toBe(location);
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status });
    if (answer === 'fail') expect(await end.text()).toContain(`action="${session.url ?? ''}"`);
  });

  it('of a session that is over leads back', async () => {
    const { control, stripe } = await start();
    const { id, url } = await stripe.checkout.sessions.create(TOP_UP);
    control.pay(id);
    const page = await post(url, { outcome: 'card' });
    expect(await page.text()).toContain(`href="http://127.0.0.1:9/paid?session=${id}"`);
    expect(control.objects().payment_intents).toHaveLength(1);
  });

  it('is not found where there is none', async () => {
    const { simulator } = await start();
    for (const path of ['c/pay/cs_none', 'c/authenticate/pi_none', 'receipts/ch_none', 'c/']) {
      expect((await fetch(`${simulator.url}/${path}`)).status).toBe(404);
    }
  });
});
