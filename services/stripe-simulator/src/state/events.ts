import { isDeepStrictEqual } from 'node:util';
import { Stripe } from 'stripe';
import type { World } from './world.ts';

/** What changed, with its values before. */
export type Previous = Readonly<Record<string, unknown>>;

/** Changes an object. @returns the values before, of what is now different */
export function change<T extends object>(object: T, changes: Partial<T>): Previous {
  const before = Object.entries(object).filter(
    ([name, value]) => Object.hasOwn(changes, name) && !isDeepStrictEqual(value, Reflect.get(changes, name)),
  );
  Object.assign(object, changes);
  return Object.fromEntries(before);
}

/** Records that something happened to an object, and sends it to the webhook. */
export function emit(world: World, type: Stripe.Event.Type, object: object, previous?: Previous): Stripe.Event {
  // The library has a type for each kind of event, which says what its object is.
  const event = {
    id: world.ids.next('evt_'),
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: world.seconds(),
    data: {
      object: structuredClone(object),
      ...(previous === undefined ? {} : { previous_attributes: structuredClone(previous) }),
    },
    livemode: false,
    pending_webhooks: 0,
    request: { id: world.cause?.id ?? null, idempotency_key: world.cause?.idempotency_key ?? null },
    type,
  } as Stripe.Event;
  world.events.add(event);
  world.onEvent(event);
  return event;
}
