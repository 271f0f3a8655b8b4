import { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { clientOf, refusalOf, TOP_UP, useSimulators } from '../../testing/harness.ts';

const start = useSimulators();

describe('a call', () => {
  it('needs the right key', async () => {
    const { simulator } = await start({ secretKey: 'sk_test_right' });
    const wrong = clientOf(simulator, 'sk_test_wrong');
    expect(await refusalOf(wrong.events.list())).toMatchObject({ type: 'StripeAuthenticationError', statusCode: 401 });
    expect(await clientOf(simulator, 'sk_test_right').events.list()).toMatchObject({ data: [] });
    expect((await fetch(`${simulator.url}/v1/events`)).status).toBe(401);
  });

  it('is refused in another version of the API', async () => {
    const { simulator } = await start();
    const response = await fetch(`${simulator.url}/v1/events`, {
      headers: { authorization: 'Bearer sk_test_1', 'stripe-version': '2020-08-27' },
    });
    expect(response.status).toBe(400);
  });

  it.each([
    ['an unknown parameter', { payment_method_types: ['card'] }, 'payment_method_types', 'parameter_unknown'],
    [
      'an unknown parameter inside another',
      { payment_intent_data: { colour: 'red' } },
      'payment_intent_data[colour]',
      'parameter_unknown',
    ],
    ['a missing parameter', { success_url: undefined }, 'success_url', 'parameter_missing'],
    ['a wrong integer', { expires_at: 'soon' }, 'expires_at', 'parameter_invalid_integer'],
    ['a URL that is none', { success_url: 'javascript:alert(1)' }, 'success_url', 'url_invalid'],
    ['a customer that does not exist', { customer: 'cus_none' }, 'customer', 'resource_missing'],
  ])('with %s is refused', async (_, params, param, code) => {
    const { stripe } = await start();
    const session = { ...TOP_UP, ...params } as Stripe.Checkout.SessionCreateParams;
    expect(await refusalOf(stripe.checkout.sessions.create(session))).toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
      param,
      code,
    });
  });

  it('for what does not exist is answered with 404', async () => {
    const { stripe } = await start();
    expect(await refusalOf(stripe.paymentIntents.retrieve('pi_none'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such payment_intent: 'pi_none'",
    });
    expect(await refusalOf(stripe.coupons.list())).toMatchObject({ statusCode: 404 });
  });

  it('is recorded with its parameters', async () => {
    const { control, stripe } = await start();
    await stripe.customers.create({ email: 'a@example.com', metadata: { a: 'b' } }, { idempotencyKey: 'k' });
    expect(control.calls()).toMatchObject([
      {
        method: 'POST',
        path: '/v1/customers',
        parameters: { email: 'a@example.com', metadata: { a: 'b' } },
        idempotency_key: 'k',
        stripe_version: Stripe.API_VERSION,
        status: 200,
      },
    ]);
  });

  it('lists page by page', async () => {
    const { control, stripe } = await start();
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      ids.unshift((await stripe.paymentIntents.create({ amount: 1_000 + count, currency: 'usd' })).id);
      control.advance(1_000);
    }
    expect(await stripe.paymentIntents.list({ limit: 3 })).toMatchObject({
      data: ids.slice(0, 3).map((id) => ({ id })),
      has_more: true,
    });
    const listed: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ limit: 3 })) listed.push(id);
    expect(listed).toEqual(ids);
    const third = await stripe.paymentIntents.retrieve(ids[2] ?? '');
    const since = await stripe.paymentIntents.list({ created: { gte: third.created } });
    expect(since.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  });

  it('expands what has a value, and refuses what has none', async () => {
    const { stripe } = await start();
    const { id } = await stripe.paymentIntents.create({ amount: 1_000, currency: 'usd' });
    expect(await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })).toMatchObject({
      latest_charge: null,
    });
    expect(await refusalOf(stripe.paymentIntents.retrieve(id, { expand: ['colour'] }))).toMatchObject({
      param: 'expand',
    });
  });

  it('makes the same ids with the same seed', async () => {
    const [one, other] = [await start({ seed: 's' }), await start({ seed: 's' })];
    expect((await one.stripe.customers.create()).id).toBe((await other.stripe.customers.create()).id);
  });
});
