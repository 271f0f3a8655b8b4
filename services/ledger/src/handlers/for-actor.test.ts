import { actorWith } from '@tollgate/common/testing/actors';
import { expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { forActor } from './for-actor.ts';

const line = { bucket: 'input', quantity: 1n, rateNanosPerMillion: 2_000_000n, amountNanos: 2n };
const lines = [{ ...line, listRateNanosPerMillion: 1_000_000n }];
const hidden = { upstreamCostNanos: 7n, baseCostNanos: 1n };
const owner = { accountId: 'a', sessionId: 's', requestId: 'r', traceId: 't', startedAtMs: 1n };
const charge = buildCharge({ ...owner, ...hidden, lines }, 2n);
const shownToOthers = buildCharge({ ...owner, lines: [line] }, 2n);

it('shows operators what the upstream charges them, and list prices beside those of an account', () => {
  expect(forActor(charge, { actor: actorWith() })).toEqual(charge);
});

it.each(['owner', 'admin', 'developer', 'billing'] as const)('keeps both from the role %s', (role) => {
  const shown = forActor(charge, { actor: actorWith({ role, accountId: 'a' }) });
  expect(shown).toStrictEqual(shownToOthers);
});

it('keeps both from an ingress, which serves the billing API without an actor', () => {
  expect(forActor(charge, { actor: undefined })).toStrictEqual(shownToOthers);
});
