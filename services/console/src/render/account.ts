import { writerOf } from '@tollgate/common/descriptors/json';
import type { Account } from '@tollgate/proto/auth';
import type { AccountJson } from '../api/accounts.ts';

/** An account's JSON. */
export const renderAccount = writerOf<Account, AccountJson>('tollgate.auth.v1.Account');
