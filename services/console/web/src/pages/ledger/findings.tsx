import { Link } from 'wouter';
import { Nothing } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { count } from '../../format/number.ts';
import { findingHref, findingSentence, findingTitle } from './finding-text.ts';
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
    width: 200,
    grow: 1,
    cell: ({ invariant }) => (
      <span className="strong" data-tip={invariant}>
        {findingTitle(invariant)}
      </span>
    ),
  },
  {
    id: 'account',
    title: 'Account',
    width: 144,
    grow: 1,
    priority: 2,
    phone: 'detail',
    cell: ({ account_id, account_name }) => (
      <Link href={`/accounts/${account_id}/overview`}>{account_name === '' ? account_id : account_name}</Link>
    ),
  },
  {
    id: 'sentence',
    title: 'What is wrong',
    width: 240,
    grow: 2,
    priority: 1,
    phone: 'end',
    cell: (finding) => <Sentence finding={finding} />,
  },
];

/** Leads to the request, key or deposit. */
function Sentence({ finding }: { finding: Finding }) {
  const sentence = findingSentence(finding);
  const href = findingHref(finding);
  const tip = `${sentence} ${finding.place}`;
  if (href === null) return <span data-tip={tip}>{sentence}</span>;
  return (
    <Link href={href} data-tip={tip}>
      {sentence}
    </Link>
  );
}
