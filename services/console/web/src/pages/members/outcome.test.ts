import { expect, test } from 'vitest';
import { deletionOutcome } from './outcome.ts';

const confirmation = (after: number | null) => ({ ingress: 'i', confirmed: after !== null, after_ms: after });

test('a deleted key is reported with the slowest ingress', () => {
  expect(deletionOutcome([40, 140, 90].map(confirmation))).toBe('Dead on 3 of 3 ingresses after 140 ms');
});

test('an ingress that has not confirmed is not counted', () => {
  expect(deletionOutcome([40, null].map(confirmation))).toBe(
    'Dead on 1 of 2 ingresses. The rest are out of contact and do not accept it.',
  );
});

test('without an ingress there is nobody to confirm', () => {
  expect(deletionOutcome([])).toBe('Deleted. No ingress is connected.');
});
