import { useAccount } from '../../account/account-context.tsx';
import { roleLabel, rolesToGive } from '../../account/roles.ts';
import type { Item } from '../../api/client.ts';
import { patch, useChange } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { MoreIcon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Empty } from '../../components/note.tsx';
import { Select } from '../../components/select.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { nameOf } from '../../format/person.ts';

export type Member = Item<'GET /accounts/{account_id}/members'>;

interface MembersTableProps {
  members: readonly Member[] | undefined;
  /** The member whose row has the focus: one that the search found. */
  found: string | undefined;
  onRemove: (member: Member) => void;
}

export function MembersTable({ members, found, onRemove }: MembersTableProps) {
  const account = useAccount();
  const { person } = useSession();
  const mayChange = (member: Member) =>
    account.may('operator', 'owner') || (account.may('admin') && member.role !== 'owner');
  const columns: Column<Member>[] = [
    { id: 'name', title: 'Name', cell: (member) => <span className="strong">{nameOf(member)}</span> },
    { id: 'email', title: 'E-mail address', priority: 2, phone: 'detail', cell: ({ email }) => email },
    {
      id: 'role',
      title: 'Role',
      priority: 1,
      width: 160,
      phone: 'value',
      cell: (member) => (mayChange(member) ? <RoleSelect member={member} /> : roleLabel(member.role)),
    },
    {
      id: 'joined',
      title: 'Joined',
      width: 120,
      cell: (member) => <Time value={member.joined_at} />,
    },
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 48,
      align: 'end',
      phone: 'end',
      cell: (member) =>
        mayChange(member) && (
          <Menu
            label={`Actions for ${nameOf(member)}`}
            size="small"
            entries={[
              {
                label: member.person_id === person.person_id ? 'Leave account' : 'Remove member',
                danger: true,
                onAction: () => onRemove(member),
              },
            ]}
          >
            <MoreIcon />
          </Menu>
        ),
    },
  ];
  return (
    <Table
      label="Members"
      columns={columns}
      rows={members}
      rowId={(member) => member.person_id}
      empty={
        <Empty title="No members yet">
          <p>Operators see and change this account. Invite its owner, who can then invite others.</p>
        </Empty>
      }
      {...(found === undefined ? {} : { initialRow: found })}
    />
  );
}

/** Changes the role at once. */
function RoleSelect({ member }: { member: Member }) {
  const { accountId, role } = useAccount();
  const change = useChange('PATCH /accounts/{account_id}/members/{person_id}', {
    failed: 'The role was not changed.',
    optimistic: ({ body, path }) => [
      patch('GET /accounts/{account_id}/members', (list) => ({
        ...list,
        data: list.data.map((each) =>
          each.person_id === path.person_id ? { ...each, role: body.role ?? each.role } : each,
        ),
      })),
    ],
    // The session has the person's own roles.
    invalidates: ['GET /accounts/{account_id}/members', 'GET /session'],
  });
  return (
    <Select
      label={`Role of ${nameOf(member)}`}
      hideLabel
      size="small"
      options={rolesToGive(role)}
      value={member.role}
      onChange={(next) => {
        if (next === member.role) return;
        change.mutate({ path: { account_id: accountId, person_id: member.person_id }, body: { role: next } });
      }}
    />
  );
}
