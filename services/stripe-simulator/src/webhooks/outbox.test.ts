import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { refusalOf, SECRET, useSimulators } from '../../testing/harness.ts';
import { startReceiver } from '../../testing/receiver.ts';

const start = useSimulators();

const idsOf = (events: readonly Stripe.Event[]) => events.map(({ id }) => id);

describe('a webhook', () => {
  it('that refuses an event gets it again, later and later, a limited number of times', async () => {
    const { control, stripe, receiver } = await start();
    receiver.statuses.push(...Array<number>(100).fill(503));
    const { id } = await stripe.customers.create();
    await control.delivered();
    control.advance(4_999);
    await control.delivered();
    expect(control.deliveries()).toHaveLength(1);
    control.advance(1);
    await control.delivered();
    expect(control.deliveries()).toMatchObject([
      { attempt: 1, status: 503 },
      { attempt: 2, status: 503 },
    ]);
    for (let hours = 0; hours < 100; hours += 1) {
      control.advance(3_600_000);
      await control.delivered();
    }
    expect(control.deliveries()).toHaveLength(8);
    expect((await stripe.events.list({ delivery_success: false })).data).toMatchObject([{ data: { object: { id } } }]);
  });

  it('gets held events in any order, twice, days later or never', async () => {
    const { control, stripe, receiver } = await start();
    control.holdWebhooks();
    for (let count = 0; count < 3; count += 1) await stripe.customers.create();
    const [first = '', second = '', third = ''] = idsOf(control.waitingEvents());
    expect(receiver.events).toEqual([]);
    await control.deliver(third);
    await control.deliver(third);
    control.advance(3 * 86_400_000);
    expect(await control.deliver(first)).toMatchObject({ status: 200 });
    control.drop(second);
    control.resumeWebhooks();
    await control.delivered();
    expect(idsOf(receiver.events)).toEqual([third, third, first]);
  });

  it('gets only the types of events that it asks for', async () => {
    const events = ['customer.created'];
    const receiver = await startReceiver(SECRET);
    const { control, stripe } = await start({ webhook: { url: receiver.url, secret: SECRET, events } });
    await stripe.customers.update((await stripe.customers.create()).id, { name: 'Ann' });
    await control.delivered();
    expect(receiver.events.map(({ type }) => type)).toEqual(events);
    await receiver.stop();
  });

  it('gets events that say which call caused them', async () => {
    const { control, stripe, receiver } = await start();
    const created = await stripe.customers.create({}, { idempotencyKey: 'k' });
    await control.delivered();
    expect(receiver.events).toMatchObject([
      {
        type: 'customer.created',
        request: { id: created.lastResponse.requestId, idempotency_key: 'k' },
        data: { object: { id: created.id } },
      },
    ]);
    expect(await stripe.events.retrieve(receiver.events[0]?.id ?? '')).toMatchObject({ pending_webhooks: 0 });
    expect(await refusalOf(stripe.events.retrieve('evt_none'))).toMatchObject({ statusCode: 404 });
  });
});
