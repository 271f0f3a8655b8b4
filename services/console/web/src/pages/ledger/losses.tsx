import { Money } from '../../components/money.tsx';
import { Nothing } from '../../components/note.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import type { LedgerStatus } from './ledger-page.tsx';

type Loss = LedgerStatus['losses'][number];

export function Losses({ losses }: { losses: readonly Loss[] }) {
  return (
    <Table
      label="Loss by account"
      columns={COLUMNS}
      rows={losses}
      rowId={({ account_id }) => account_id}
      href={({ account_id }) => `/accounts/${account_id}/overview`}
      empty={<Nothing>No loss. Every charge was paid by its account.</Nothing>}
    />
  );
}

const COLUMNS: Column<Loss>[] = [
  {
    id: 'account',
    title: 'Account',
    cell: ({ account_id, account_name }) => <RowLink href={`/accounts/${account_id}/overview`}>{account_name}</RowLink>,
  },
  {
    id: 'id',
    title: 'Account id',
    width: 288,
    grow: 1,
    priority: 2,
    phone: 'detail',
    cell: ({ account_id }) => <code>{account_id}</code>,
  },
  {
    id: 'loss',
    title: 'Loss',
    priority: 1,
    width: 160,
    align: 'end',
    phone: 'value',
    cell: ({ loss }) => <Money value={loss} exact />,
  },
];
