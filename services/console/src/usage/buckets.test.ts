import { BUCKET_NAMES } from '@tollgate/common/catalogue-names';
import { expect, test } from 'vitest';
import { BUCKETS } from './buckets.ts';

test('every bucket that a catalogue can price is shown', () => {
  const priced = Object.values(BUCKET_NAMES).filter((name) => name !== 'unspecified');
  expect([...BUCKETS].sort()).toEqual(priced.sort());
});
