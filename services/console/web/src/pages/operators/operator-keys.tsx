import { patch, useChange, useRead } from '../../api/queries.ts';
import { Section } from '../../components/page.tsx';
import { type CreateKey, ManagementKeys, UNSEEN_KEY } from '../management-keys/management-keys.tsx';

/** Management keys with the role of an operator. */
export function OperatorKeys() {
  const keys = useRead('GET /operator/management-keys', {});
  const remove = useChange('DELETE /operator/management-keys/{management_key_id}', {
    failed: 'The management key was not deleted.',
    optimistic: ({ path }) => [
      patch('GET /operator/management-keys', (list) => ({
        ...list,
        data: list.data.map((each) =>
          each.management_key_id === path.management_key_id ? { ...each, status: 'deleted' as const } : each,
        ),
      })),
    ],
    invalidates: ['GET /operator/management-keys'],
  });
  return (
    <ManagementKeys
      frame={(table, button) => (
        <Section title="Management keys for all accounts" actions={button}>
          {table}
        </Section>
      )}
      keys={keys}
      isMain={false}
      mayChange
      roles={[]}
      useCreate={useCreate}
      onDelete={(management_key_id) => remove.mutate({ path: { management_key_id } })}
    />
  );
}

function useCreate(): CreateKey {
  const create = useChange('POST /operator/management-keys', {
    failed: null,
    what: ({ body }) => `The creation of ${body.name}`,
    lost: UNSEEN_KEY,
    invalidates: ['GET /operator/management-keys'],
  });
  return ({ name, expires_at }) => create.mutateAsync({ body: { name, expires_at } });
}
