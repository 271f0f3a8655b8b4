import { useAccount } from '../../account/account-context.tsx';
import type { Item } from '../../api/client.ts';
import { Money } from '../../components/money.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import type { Column } from '../../components/table/table.tsx';
import { compareMoney } from '../../format/money.ts';
import { compactCount, plural } from '../../format/number.ts';
import { CapCell } from './cap-usage.tsx';
import { shareOfCap } from './caps.ts';
import { KeyStatus } from './key-status.tsx';
import { LastUsed } from './last-used.tsx';

export type KeyRow = Item<'GET /accounts/{account_id}/keys'>;

export function useKeyColumns(): Column<KeyRow>[] {
  const { href } = useAccount();
  return [
    {
      id: 'name',
      title: 'Name',
      width: 200,
      grow: 2,
      cell: ({ key_id, name }) => <RowLink href={href(`/keys/${key_id}`)}>{name}</RowLink>,
      compare: (left, right) => left.name.localeCompare(right.name),
    },
    {
      id: 'key',
      title: 'Key',
      width: 80,
      priority: 1,
      phone: 'detail',
      cell: ({ last_four }) => <code>…{last_four}</code>,
    },
    {
      id: 'models',
      title: 'Models',
      width: 112,
      grow: 1,
      priority: 6,
      cell: ({ allowed_models }) => <Models ids={allowed_models} />,
    },
    {
      id: 'spent',
      title: 'Spent this month',
      priority: 2,
      width: 128,
      align: 'end',
      phone: 'value',
      cell: ({ spent_this_month }) => <Money value={spent_this_month} />,
      compare: (left, right) => compareMoney(left.spent_this_month, right.spent_this_month),
    },
    {
      id: 'cap',
      title: 'Cap used',
      priority: 4,
      width: 176,
      cell: ({ cap_usage }) => <CapCell usages={cap_usage} />,
      compare: (left, right) => (shareOfCap(left.cap_usage) ?? -1) - (shareOfCap(right.cap_usage) ?? -1),
    },
    { id: 'limits', title: 'Limits', width: 128, priority: 7, cell: ({ limits }) => <Limits limits={limits} /> },
    {
      id: 'by',
      title: 'Created by',
      width: 112,
      grow: 1,
      priority: 8,
      cell: ({ created_by }) => created_by?.name ?? <span className="muted">Operator</span>,
    },
    {
      id: 'used',
      title: 'Last used',
      width: 104,
      priority: 5,
      phone: 'end',
      cell: ({ last_used_at, spent_this_month }) => <LastUsed usedAt={last_used_at} spent={spent_this_month} />,
      compare: (left, right) => Date.parse(left.last_used_at ?? '0') - Date.parse(right.last_used_at ?? '0'),
    },
    {
      id: 'status',
      title: 'Status',
      priority: 3,
      width: 120,
      cell: (key) => <KeyStatus status={key.status} caps={key.cap_usage} />,
    },
  ];
}

function Models({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return <span className="muted">All</span>;
  return <span data-tip={ids.join(', ')}>{ids.length === 1 ? ids[0] : plural(ids.length, 'model')}</span>;
}

function Limits({ limits }: { limits: KeyRow['limits'] }) {
  const parts = [
    ...(limits.requests_per_minute === null ? [] : [`${compactCount(limits.requests_per_minute)} req/min`]),
    ...(limits.tokens_per_minute === null ? [] : [`${compactCount(limits.tokens_per_minute)} tok/min`]),
    ...(limits.open_requests === null ? [] : [`${compactCount(limits.open_requests)} open`]),
  ];
  if (parts.length === 0) return <span className="muted">None</span>;
  return <span data-tip={parts.join(', ')}>{parts.length === 1 ? parts[0] : `${parts[0]}, …`}</span>;
}
