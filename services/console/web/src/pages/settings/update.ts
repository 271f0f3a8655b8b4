import type { Input } from '../../api/client.ts';
import { type Patch, patch, useChange } from '../../api/queries.ts';
import { toast } from '../../components/toast.tsx';
import type { Account } from './settings-page.tsx';

/** Changes a part of the account, shown at once. */
export function useUpdateAccount(account: Account, done: string) {
  const change = useChange('PATCH /accounts/{account_id}', {
    failed: null,
    what: () => `The change of ${account.name}`,
    optimistic: ({ body }) =>
      accountPatches(account.account_id, (before) => ({
        ...before,
        name: body.name ?? before.name,
        discount_percent: body.discount_percent ?? before.discount_percent,
        limits: body.limits ?? before.limits,
        ...(body.price_rules !== undefined && { price_rules: body.price_rules }),
      })),
    // The session has the names of the person's accounts.
    invalidates: [
      'GET /accounts/{account_id}',
      'GET /accounts/{account_id}/models',
      'GET /operator/accounts',
      'GET /session',
    ],
  });
  return {
    error: change.error,
    isPending: change.isPending,
    save: (body: Input<'PATCH /accounts/{account_id}'>['body'], onSaved?: () => void) =>
      change.mutate(
        { path: { account_id: account.account_id }, body },
        {
          onSuccess: () => {
            onSaved?.();
            toast({ kind: 'done', message: done });
          },
        },
      ),
  };
}

/** A change of an account, in the account itself and in the list of all. */
export function accountPatches(accountId: string, change: <A extends Account>(before: A) => A): Patch[] {
  const changed = <A extends Account>(before: A) => (before.account_id === accountId ? change(before) : before);
  return [
    patch('GET /accounts/{account_id}', changed),
    patch('GET /operator/accounts', (page) => ({ ...page, data: page.data.map(changed) })),
  ];
}
