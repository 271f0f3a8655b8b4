import { roleLabel } from '../../account/roles.ts';
import type { Output } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';

export type Invitation = Output<'GET /accounts/{account_id}/members'>['invitations'][number];

interface InvitationsTableProps {
  invitations: readonly Invitation[];
  /** Null: the person may not. */
  onWithdraw: ((invitationId: string) => void) | null;
}

export function InvitationsTable({ invitations, onWithdraw }: InvitationsTableProps) {
  const columns: Column<Invitation>[] = [
    {
      id: 'email',
      title: 'E-mail address',
      width: 200,
      grow: 2,
      cell: ({ email }) => <span className="strong">{email}</span>,
    },
    { id: 'role', title: 'Role', width: 120, phone: 'value', cell: ({ role }) => roleLabel(role) },
    { id: 'by', title: 'Invited by', width: 144, grow: 1, priority: 4, cell: ({ invited_by }) => invited_by },
    {
      id: 'expires',
      title: 'Expires',
      width: 140,
      phone: 'detail',
      cell: ({ expires_at }) => <Time value={expires_at} />,
    },
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 104,
      align: 'end',
      phone: 'end',
      cell: ({ invitation_id, email }) =>
        onWithdraw !== null && (
          <Button
            look="quiet"
            size="small"
            aria-label={`Withdraw the invitation of ${email}`}
            onPress={() => onWithdraw(invitation_id)}
          >
            Withdraw
          </Button>
        ),
    },
  ];
  return (
    <Table label="Invitations" columns={columns} rows={invitations} rowId={({ invitation_id }) => invitation_id} />
  );
}
