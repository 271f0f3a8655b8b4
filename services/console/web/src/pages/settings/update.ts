import type { Input } from '../../api/client.ts';
import { patch, useChange } from '../../api/queries.ts';
import { toast } from '../../components/toast.tsx';
import type { Account } from './settings-page.tsx';

/** Changes a part of the account, shown at once. */
export function useUpdateAccount(account: Account, done: string) {
  const change = useChange('PATCH /accounts/{account_id}', {
    failed: null,
    optimistic: ({ body }) => [
      patch('GET /accounts/{account_id}', (before) =>
        before.account_id === account.account_id
          ? {
              ...before,
              name: body.name ?? before.name,
              discount_percent: body.discount_percent ?? before.discount_percent,
              limits: body.limits ?? before.limits,
            }
          : before,
      ),
    ],
    invalidates: ['GET /accounts/{account_id}', 'GET /operator/accounts'],
  });
  return {
    error: change.error,
    isPending: change.isPending,
    save: (body: Input<'PATCH /accounts/{account_id}'>['body']) =>
      change.mutate(
        { path: { account_id: account.account_id }, body },
        { onSuccess: () => toast({ kind: 'done', message: done }) },
      ),
  };
}
