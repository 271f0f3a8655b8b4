import type { ReactNode } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Input, Item } from '../../api/client.ts';
import { loadMoreOf, rowsOf, useList } from '../../api/queries.ts';
import { Money } from '../../components/money.tsx';
import { ErrorNote, MoreFailed } from '../../components/note.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { compareMoney } from '../../format/money.ts';
import type { Sort } from '../../url/sort.ts';
import { LimitsCell, ModelsCell } from '../shared/limits/limit-cells.tsx';
import { CapCell } from './cap-usage.tsx';
import { shareOfCap } from './caps.ts';
import { KeyStatus } from './key-status.tsx';
import { LastUsed } from './last-used.tsx';

export type KeyRow = Item<'GET /accounts/{account_id}/keys'>;

/** Spending and reached caps move while somebody watches. */
const REFRESH_MS = 10_000;

type KeysQuery = Omit<Input<'GET /accounts/{account_id}/keys'>['query'], 'limit' | 'cursor'>;

/** Keys with what they have spent, kept up to date. */
export function useKeys(query: KeysQuery) {
  const { accountId } = useAccount();
  const list = useList(
    'GET /accounts/{account_id}/keys',
    { path: { account_id: accountId }, query: { ...query, limit: 200 } },
    { keepPrevious: true, refetchInterval: REFRESH_MS },
  );
  return { list, rows: rowsOf<'GET /accounts/{account_id}/keys'>(list.data) };
}

interface KeysTableProps extends ReturnType<typeof useKeys> {
  /** What it lists, for screen readers: `Keys`. */
  label: string;
  showsProject?: boolean;
  sort?: Sort | null;
  onSort?: (sort: Sort) => void;
  empty: ReactNode;
}

/** A list of keys; each opens its page. */
export function KeysTable({ list, rows, label, showsProject = false, empty, ...sorted }: KeysTableProps) {
  const { href } = useAccount();
  const columns = useKeyColumns({ showsProject });
  const what = label.toLowerCase();
  return (
    <>
      {list.isError && rows === undefined ? (
        <ErrorNote title={`The ${what} could not be loaded.`} error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label={label}
          columns={columns}
          rows={rows}
          rowId={({ key_id }) => key_id}
          href={({ key_id }) => href(`/keys/${key_id}`)}
          isFaded={({ status }) => status !== 'active'}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={empty}
          {...sorted}
        />
      )}
      <MoreFailed what={`More ${what}`} list={list} />
    </>
  );
}

/** @param options.showsProject the account has several */
function useKeyColumns({ showsProject }: { showsProject: boolean }): Column<KeyRow>[] {
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
    ...(showsProject
      ? [
          {
            id: 'project',
            title: 'Project',
            width: 112,
            grow: 1,
            priority: 6,
            cell: ({ project_name }: KeyRow) => project_name,
            compare: (left: KeyRow, right: KeyRow) => left.project_name.localeCompare(right.project_name),
          },
        ]
      : []),
    {
      id: 'models',
      title: 'Models',
      width: 112,
      grow: 1,
      priority: 6,
      cell: ({ allowed_models }) => <ModelsCell ids={allowed_models} />,
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
    { id: 'limits', title: 'Limits', width: 128, priority: 7, cell: ({ limits }) => <LimitsCell limits={limits} /> },
    {
      id: 'by',
      title: 'Created by',
      width: 112,
      grow: 1,
      priority: 8,
      cell: ({ created_by, parent_key_id }) =>
        created_by?.name ?? <span className="muted">{parent_key_id === null ? 'Operator' : 'Parent key'}</span>,
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
