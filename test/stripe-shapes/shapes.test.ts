import { type StripeSimulator, startStripeSimulator } from '@tollgate/stripe-simulator/testing/start';
import { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KNOWN_DIFFERENCES } from './differences.ts';
import { CALLS, RESOURCES } from './resources.ts';
import { compare } from './support/compare.ts';
import { type StripeMock, startStripeMock } from './support/stripe-mock.ts';

let mock: StripeMock;
let simulator: StripeSimulator;
const seen = new Set<string>();

beforeAll(async () => {
  mock = await startStripeMock();
  simulator = await startStripeSimulator({ seed: 'shapes' });
});
afterAll(async () => {
  await simulator?.stop();
  await mock?.stop();
});

const clientOf = (port: number) =>
  new Stripe('sk_test_shapes', { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 });

/** What is sent over the wire: the library makes numbers of some texts. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

it.each(Object.entries(RESOURCES))(
  '%s has the fields and the types of the official description',
  async (name, resource) => {
    const model = plain(await resource.model(clientOf(mock.port)));
    const ours = await resource.ours(clientOf(simulator.port), simulator.control);
    expect(ours.length).toBeGreaterThan(0);
    const differences = new Set(ours.flatMap((object) => compare(plain(object), model, name)));
    for (const difference of differences) seen.add(difference);
    expect([...differences].filter((difference) => !Object.hasOwn(KNOWN_DIFFERENCES, difference))).toEqual([]);
  },
);

it.each(Object.entries(CALLS))('%s takes parameters that the official description has', async (_, call) => {
  await call.act(clientOf(simulator.port), simulator.control);
  await call.act(clientOf(mock.port), undefined);
});

it('both refuse a parameter that the description has not', async () => {
  for (const { port } of [simulator, mock]) {
    const params = { email: 'a@example.com', colour: 'red' };
    await expect(clientOf(port).customers.create(params)).rejects.toThrow(/colour|additional properties/);
  }
});

it('every known difference is one', () => {
  expect(Object.keys(KNOWN_DIFFERENCES).filter((difference) => !seen.has(difference))).toEqual([]);
});
