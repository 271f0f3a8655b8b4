import type { JsonOf } from '@tollgate/common/descriptors/json-types';
import type { ApiKey } from '@tollgate/proto/auth';
import { entity } from './described.ts';
import './settings.ts';

/** A key, as JSON. */
export type KeyJson = JsonOf<
  ApiKey,
  {
    status: 'active' | 'expired' | 'deleted';
    created_at: string;
    created_by: { person_id: string; name: string } | null;
  }
>;

export const key = entity<KeyJson>('tollgate.auth.v1.ApiKey', {
  created_by: 'Null: at the command line.',
  allowed_models: 'Empty: all.',
  previous_value_until: 'The value before the last rotation is valid until then.',
});
