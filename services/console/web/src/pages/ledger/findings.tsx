import { Nothing } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { count } from '../../format/number.ts';
import type { LedgerStatus } from './ledger-page.tsx';

type Finding = LedgerStatus['findings'][number] & { number: number };

interface FindingsProps {
  findings: LedgerStatus['findings'];
  /** There may be more than are listed. */
  total: number;
}

/** Where what is stored differs from what was posted. */
export function Findings({ findings, total }: FindingsProps) {
  return (
    <>
      <Table
        label="Findings"
        columns={COLUMNS}
        rows={findings.map((finding, number) => ({ ...finding, number }))}
        rowId={({ number }) => String(number)}
        empty={<Nothing>No findings. All sums agree with the entries they come from.</Nothing>}
      />
      {total > findings.length && (
        <p className="muted small">
          {count(findings.length)} of {count(total)} are listed.
        </p>
      )}
    </>
  );
}

const COLUMNS: Column<Finding>[] = [
  {
    id: 'invariant',
    title: 'What does not hold',
    cell: ({ invariant }) => (
      <span className="strong" data-tip={invariant}>
        {invariant}
      </span>
    ),
  },
  {
    id: 'account',
    title: 'Account',
    width: '24%',
    phone: 'detail',
    cell: ({ account_id }) => <code>{account_id}</code>,
  },
  { id: 'place', title: 'Where', width: '20%', cell: ({ place }) => <span data-tip={place}>{place}</span> },
  { id: 'expected', title: 'Expected', width: '128px', align: 'end', phone: 'end', cell: ({ expected }) => expected },
  { id: 'found', title: 'Found', width: '128px', align: 'end', phone: 'value', cell: ({ found }) => found },
];
