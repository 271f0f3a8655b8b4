import { describe, expect, it } from 'vitest';
import { clientOf, refusalOf, useSimulators } from '../../testing/harness.ts';

const start = useSimulators();
const PARAMS = { amount: 1_000, currency: 'usd' };

describe('an idempotency key', () => {
  it('repeats the answer of an equal call, and refuses another one', async () => {
    const { control, stripe } = await start();
    const first = await stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' });
    const second = await stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' });
    expect(second.id).toBe(first.id);
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(control.objects().payment_intents).toHaveLength(1);
    for (const call of [
      stripe.paymentIntents.create({ ...PARAMS, amount: 1_001 }, { idempotencyKey: 'k' }),
      stripe.customers.create({}, { idempotencyKey: 'k' }),
    ]) {
      expect(await refusalOf(call)).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
    }
  });

  it('repeats a decline, but not a call with wrong parameters', async () => {
    const { control, stripe } = await start();
    const decline = { ...PARAMS, payment_method: 'pm_card_visa_chargeDeclinedInsufficientFunds', confirm: true };
    const wrong = { ...PARAMS, colour: 'red' };
    for (let count = 0; count < 2; count += 1) {
      expect(await refusalOf(stripe.paymentIntents.create(decline, { idempotencyKey: 'd' }))).toMatchObject({
        decline_code: 'insufficient_funds',
      });
      await refusalOf(stripe.paymentIntents.create(wrong, { idempotencyKey: 'w' }));
    }
    expect(control.calls().map(({ replayed }) => replayed)).toEqual([false, false, true, false]);
    await stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'w' });
    expect(control.objects().payment_intents).toHaveLength(2);
  });

  it('is forgotten after a day', async () => {
    const { control, stripe } = await start();
    const first = await stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' });
    control.advance(24 * 3_600_000);
    expect((await stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' })).id).not.toBe(first.id);
  });

  it('is refused while its first call runs', async () => {
    const { control, stripe } = await start();
    control.fail({ kind: 'hold_request' });
    const first = stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' });
    await expect.poll(() => control.heldCalls()).toBe(1);
    expect(await refusalOf(stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' }))).toMatchObject({
      statusCode: 409,
      code: 'idempotency_key_in_use',
    });
    control.releaseCalls();
    await first;
    expect(control.objects().payment_intents).toHaveLength(1);
  });
});

describe('a planned fault', () => {
  // The library repeats a call once, with its key, when the connection breaks.
  it('loses an answer after the call took effect, and the key finds it', async () => {
    const { control, stripe } = await start();
    control.fail({ kind: 'lose_response' }, { path: '/v1/payment_intents', times: 2 });
    expect(await refusalOf(stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' }))).toMatchObject({
      type: 'StripeConnectionError',
    });
    const [intent] = control.objects().payment_intents;
    expect((await stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' })).id).toBe(intent?.id);
    expect(control.calls().map(({ lost }) => lost)).toEqual([true, true, false]);
  });

  it('loses a call before it takes effect', async () => {
    const { control, stripe } = await start();
    control.fail({ kind: 'lose_request' }, { times: 2 });
    await refusalOf(stripe.paymentIntents.create(PARAMS));
    expect(control.objects().payment_intents).toEqual([]);
  });

  it.each([
    [429, 'StripeRateLimitError'],
    [500, 'StripeAPIError'],
  ])('answers %i without effect, for the calls it meets', async (status, type) => {
    const { control, stripe } = await start();
    control.fail({ kind: 'status', status }, { method: 'POST' });
    await stripe.paymentIntents.list();
    expect(await refusalOf(stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' }))).toMatchObject({ type });
    expect(control.objects().payment_intents).toEqual([]);
    await stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' });
  });

  it('answers 500 after the call took effect, as its key then does', async () => {
    const { control, stripe } = await start();
    control.fail({ kind: 'recorded_error' });
    for (let count = 0; count < 2; count += 1) {
      expect(await refusalOf(stripe.paymentIntents.create(PARAMS, { idempotencyKey: 'k' }))).toMatchObject({
        statusCode: 500,
      });
    }
    expect(control.objects().payment_intents).toHaveLength(1);
  });

  it('holds an answer until the caller gives up', async () => {
    const { control, simulator } = await start();
    control.fail({ kind: 'hold_response' });
    const impatient = clientOf(simulator);
    expect(await refusalOf(impatient.paymentIntents.create(PARAMS, { timeout: 50 }))).toMatchObject({
      type: 'StripeConnectionError',
    });
    expect(control.objects().payment_intents).toHaveLength(1);
  });
});
