import { BUCKETS } from '@tollgate/common/billing/buckets';
import { BUCKET_NAMES } from '@tollgate/common/catalogue-names';
import { BUCKET_NAMES as USAGE_BUCKETS } from '@tollgate/protocols/canonical/usage';
import { expect, test } from 'vitest';

test('every bucket that a catalogue can price or a protocol can report is shown', () => {
  const priced = Object.values(BUCKET_NAMES).filter((name) => name !== 'unspecified');
  expect([...BUCKETS].sort()).toEqual(priced.sort());
  expect(BUCKETS).toEqual(expect.arrayContaining([...USAGE_BUCKETS]));
});
