import { actorWith } from '@tollgate/common/testing/actors';
import { expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { forActor } from './for-actor.ts';

const charge = buildCharge({ accountId: 'a', sessionId: 's', upstreamCostNanos: 7n });

it('shows operators what the upstream charges them', () => {
  expect(forActor(charge, { actor: actorWith() })).toEqual(charge);
});

it.each(['owner', 'admin', 'developer', 'billing'] as const)('keeps it from the role %s', (role) => {
  const shown = forActor(charge, { actor: actorWith({ role, accountId: 'a' }) });
  expect(shown).toEqual({ ...charge, upstreamCostNanos: undefined });
});

it('keeps it from an ingress, which serves the billing API without an actor', () => {
  expect(forActor(charge, { actor: undefined }).upstreamCostNanos).toBeUndefined();
});
