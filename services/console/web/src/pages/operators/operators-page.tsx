import { useState } from 'react';
import type { Item } from '../../api/client.ts';
import { patch, useChange, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { nameOf } from '../../format/person.ts';
import { InvitationsTable } from '../members/invitations-table.tsx';
import { InviteOperatorDialog } from './invite-operator-dialog.tsx';
import { OperatorKeys } from './operator-keys.tsx';

type Operator = Item<'GET /operator/operators'>;

/** The people who run the gateway, and the management keys for all accounts. */
export function OperatorsPage() {
  const { person } = useSession();
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Operator | null>(null);
  const operators = useRead('GET /operator/operators', {});
  const remove = useChange('DELETE /operator/operators/{person_id}', {
    failed: 'The operator was not removed.',
    optimistic: ({ path }) => [
      patch('GET /operator/operators', (list) => ({
        ...list,
        data: list.data.filter((each) => each.person_id !== path.person_id),
      })),
    ],
    invalidates: ['GET /operator/operators', 'GET /operator/management-keys', 'GET /session'],
  });
  const withdraw = useChange('DELETE /operator/invitations/{invitation_id}', {
    failed: 'The invitation was not withdrawn.',
    optimistic: ({ path }) => [
      patch('GET /operator/operators', (list) => ({
        ...list,
        invitations: list.invitations.filter((each) => each.invitation_id !== path.invitation_id),
      })),
    ],
    invalidates: ['GET /operator/operators'],
  });
  const invitations = operators.data?.invitations ?? [];
  return (
    <Page
      title="Operators"
      about="They see and change all accounts, credit them, and view them as their members do."
      actions={
        <Button look="primary" onPress={() => setInviting(true)}>
          Invite operator
        </Button>
      }
    >
      {operators.isError && operators.data === undefined ? (
        <ErrorNote title="The operators could not be loaded." error={operators.error} onRetry={operators.refetch} />
      ) : (
        <Table
          label="Operators"
          columns={columnsOf(setRemoving)}
          rows={operators.data?.data}
          rowId={({ person_id }) => person_id}
        />
      )}
      {invitations.length > 0 && (
        <Section title="Invitations" about="Not accepted yet.">
          <InvitationsTable
            invitations={invitations}
            onWithdraw={(invitation_id) => withdraw.mutate({ path: { invitation_id } })}
          />
        </Section>
      )}
      {operators.data !== undefined && <OperatorKeys />}
      <InviteOperatorDialog isOpen={inviting} onClose={() => setInviting(false)} />
      {removing !== null && (
        <Confirm
          title={`Remove ${nameOf(removing)}`}
          action="Remove operator"
          danger
          isOpen
          onClose={() => setRemoving(null)}
          onConfirm={() => {
            remove.mutate({ path: { person_id: removing.person_id } });
            setRemoving(null);
          }}
        >
          <p>
            {removing.person_id === person.person_id ? 'You lose' : `${removing.email} loses`} access to all accounts
            within a minute, unless they are a member. Management keys they made stay valid.
          </p>
        </Confirm>
      )}
    </Page>
  );
}

function columnsOf(onRemove: (operator: Operator) => void): Column<Operator>[] {
  return [
    { id: 'name', title: 'Name', cell: (operator) => <span className="strong">{nameOf(operator)}</span> },
    { id: 'email', title: 'E-mail address', phone: 'detail', cell: ({ email }) => email },
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 104,
      align: 'end',
      phone: 'value',
      cell: (operator) => (
        <Button look="quiet" size="small" aria-label={`Remove ${nameOf(operator)}`} onPress={() => onRemove(operator)}>
          Remove
        </Button>
      ),
    },
  ];
}
