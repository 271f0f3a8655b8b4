import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { MemberRole } from '../../account/roles.ts';
import { roleLabel } from '../../account/roles.ts';
import type { Item, Output } from '../../api/client.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Empty, ErrorNote } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { CreateDialog } from './create-dialog.tsx';

export type ManagementKey = Item<'GET /accounts/{account_id}/management-keys'>;
export type NewManagementKey = Output<'POST /accounts/{account_id}/management-keys'>;

export interface NewKeyInput {
  name: string;
  role: MemberRole;
  expires_at: string;
}

export type CreateKey = (input: NewKeyInput) => Promise<NewManagementKey>;

/** Of a key that was created after its dialog had closed. */
export const UNSEEN_KEY = 'Nobody has seen the key: delete it.';

interface ManagementKeysProps {
  /** Around the table, with the button that creates a key. */
  frame: (table: ReactNode, create: ReactNode) => ReactNode;
  keys: UseQueryResult<{ data: ManagementKey[] }, Error>;
  mayChange: boolean;
  /** Whether creating one is what the page is for. */
  isMain: boolean;
  /** Roles to choose from. Empty: all are keys of operators. */
  roles: readonly { value: MemberRole; label: string; detail: string }[];
  /** Of the dialog: a key that was not sent when it closed is not created. */
  useCreate: () => CreateKey;
  onDelete: (managementKeyId: string) => void;
}

/** Management keys of an account or of operators. */
export function ManagementKeys({ frame, keys, mayChange, isMain, roles, useCreate, onDelete }: ManagementKeysProps) {
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ManagementKey | null>(null);
  const create = mayChange && (
    <Button look={isMain ? 'primary' : 'secondary'} onPress={() => setCreating(true)}>
      Create management key
    </Button>
  );
  const rows = keys.data?.data;
  return frame(
    <>
      {keys.isError && rows === undefined ? (
        <ErrorNote title="The management keys could not be loaded." error={keys.error} onRetry={keys.refetch} />
      ) : (
        <Table
          label="Management keys"
          columns={columnsOf(mayChange ? setDeleting : null)}
          rows={rows}
          rowId={({ management_key_id }) => management_key_id}
          isFaded={({ status }) => status !== 'active'}
          empty={
            <Empty title="No management keys" action={create}>
              <p>
                A management key lets a program do what its role allows in the console. Each call is in the audit log.
              </p>
            </Empty>
          }
        />
      )}
      {creating && <CreateDialog roles={roles} useCreate={useCreate} onClose={() => setCreating(false)} />}
      {deleting !== null && (
        <Confirm
          title={`Delete ${deleting.name}`}
          action="Delete management key"
          danger
          isOpen
          onClose={() => setDeleting(null)}
          onConfirm={() => {
            onDelete(deleting.management_key_id);
            setDeleting(null);
          }}
        >
          <p>
            Programs that use <code>{shownKey(deleting)}</code> are refused within a minute. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>,
    rows?.length !== 0 && create,
  );
}

function shownKey({ display_prefix, last_four }: ManagementKey): string {
  return `${display_prefix}…${last_four}`;
}

function columnsOf(onDelete: ((key: ManagementKey) => void) | null): Column<ManagementKey>[] {
  return [
    { id: 'name', title: 'Name', cell: ({ name }) => <span className="strong">{name}</span> },
    { id: 'key', title: 'Key', width: 160, priority: 2, phone: 'detail', cell: (key) => <code>{shownKey(key)}</code> },
    { id: 'role', title: 'Role', width: 104, priority: 3, cell: ({ role }) => roleLabel(role) },
    {
      id: 'by',
      title: 'Created by',
      width: 144,
      grow: 1,
      priority: 6,
      cell: ({ created_by: { name, removed } }) => (
        <>
          {removed && <Badge tone="warn">Removed</Badge>} {name}
        </>
      ),
    },
    {
      id: 'used',
      title: 'Last used',
      width: 112,
      cell: ({ last_used_at }) =>
        last_used_at === null ? <span className="muted">Never</span> : <Time value={last_used_at} />,
    },
    { id: 'expires', title: 'Expires', width: 112, cell: ({ expires_at }) => <Time value={expires_at} /> },
    {
      id: 'status',
      title: 'Status',
      priority: 1,
      width: 88,
      phone: 'value',
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{STATUS[status]}</Badge>,
    },
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 80,
      align: 'end',
      phone: 'end',
      cell: (key) =>
        onDelete !== null &&
        key.status === 'active' && (
          <Button look="quiet" size="small" aria-label={`Delete ${key.name}`} onPress={() => onDelete(key)}>
            Delete
          </Button>
        ),
    },
  ];
}

const STATUS = { active: 'Active', expired: 'Expired', off: 'Off', deleted: 'Deleted' } as const;
