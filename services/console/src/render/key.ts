import { writerOf } from '@tollgate/common/descriptors/json';
import type { ApiKey } from '@tollgate/proto/auth';
import type { KeyJson } from '../api/keys.ts';

/** A key's JSON. */
export const renderKey = writerOf<ApiKey, KeyJson>('tollgate.auth.v1.ApiKey');
