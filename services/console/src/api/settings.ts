import type { JsonOf } from '@tollgate/common/descriptors/json-types';
import type { RateLimits, SpendingCaps } from '@tollgate/proto/auth';
import { entity } from './described.ts';

/** Settings that several entities have. */

export const limits = entity<JsonOf<RateLimits>>('tollgate.auth.v1.RateLimits', { '': 'Null: no limit.' });

export const caps = entity<JsonOf<SpendingCaps>>('tollgate.auth.v1.SpendingCaps', {
  '': 'What may be spent in a period of UTC. Null: no cap.',
});
