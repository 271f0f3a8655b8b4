import { useAccount } from '../../account/account-context.tsx';
import { MEMBER_ROLES } from '../../account/roles.ts';
import { patch, useChange, useRead } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { type CreateKey, ManagementKeys, UNSEEN_KEY } from './management-keys.tsx';

/** Keys of programs that manage the account as its members do in the console. */
export function ManagementKeysPage() {
  const { accountId, may } = useAccount();
  const path = { account_id: accountId };
  const keys = useRead('GET /accounts/{account_id}/management-keys', { path });
  const remove = useChange('DELETE /accounts/{account_id}/management-keys/{management_key_id}', {
    failed: 'The management key was not deleted.',
    optimistic: (input) => [
      patch('GET /accounts/{account_id}/management-keys', (list) => ({
        ...list,
        data: list.data.map((each) =>
          each.management_key_id === input.path.management_key_id ? { ...each, status: 'deleted' as const } : each,
        ),
      })),
    ],
    invalidates: ['GET /accounts/{account_id}/management-keys'],
  });
  return (
    <ManagementKeys
      frame={(table, create) => (
        <Page
          title="Management keys"
          about="For programs that create keys, set caps and read usage of this account. They cannot call models."
          actions={create}
        >
          {table}
        </Page>
      )}
      keys={keys}
      isMain
      mayChange={may('operator', 'owner')}
      roles={MEMBER_ROLES}
      useCreate={useCreate}
      onDelete={(management_key_id) => remove.mutate({ path: { ...path, management_key_id } })}
    />
  );
}

function useCreate(): CreateKey {
  const { accountId } = useAccount();
  const create = useChange('POST /accounts/{account_id}/management-keys', {
    failed: null,
    what: ({ body }) => `The creation of ${body.name}`,
    lost: UNSEEN_KEY,
    invalidates: ['GET /accounts/{account_id}/management-keys'],
  });
  return ({ name, role, expires_at }) =>
    create.mutateAsync({ path: { account_id: accountId }, body: { name, role, expires_at } });
}
