import { Badge } from '../../components/badge.tsx';
import { Money } from '../../components/money.tsx';
import { Empty } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { duration } from '../../format/time.ts';
import type { LedgerStatus } from './ledger-page.tsx';

type Ingress = LedgerStatus['ingresses'][number] & { number: number };

/** An ingress pings every second; it stops trusting its keys long after this. */
const SILENT_MS = 5_000;
const UNSETTLED_MS = 30_000;

export function Ingresses({ ingresses }: { ingresses: LedgerStatus['ingresses'] }) {
  return (
    <Table
      label="Ingresses"
      columns={COLUMNS}
      // An ingress that restarted has two sessions for a while.
      rows={ingresses.map((ingress, number) => ({ ...ingress, number }))}
      rowId={({ ingress, number }) => `${ingress} ${number}`}
      empty={
        <Empty title="No ingress is connected">
          <p>No request can be served. Check that ingresses run and reach auth and ledger.</p>
        </Empty>
      }
    />
  );
}

const NONE = <span className="muted">–</span>;

const COLUMNS: Column<Ingress>[] = [
  { id: 'ingress', title: 'Ingress', cell: ({ ingress }) => <code>{ingress}</code> },
  { id: 'state', title: 'State', width: 176, priority: 1, phone: 'value', cell: (row) => <State ingress={row} /> },
  {
    id: 'started',
    title: 'Started',
    priority: 8,
    width: 104,
    phone: 'detail',
    cell: ({ started_at }) => (started_at === null ? NONE : <Time value={started_at} />),
  },
  {
    id: 'ping',
    title: 'Last ping',
    priority: 5,
    width: 96,
    align: 'end',
    cell: ({ revocation_silent_ms: ms }) => (ms === null ? NONE : duration(ms)),
  },
  {
    id: 'changes',
    title: 'Unconfirmed changes',
    priority: 6,
    width: 144,
    align: 'end',
    cell: ({ unconfirmed_changes: changes }) => (changes === null ? NONE : count(changes)),
  },
  {
    id: 'heartbeat',
    title: 'Last heartbeat',
    priority: 4,
    width: 112,
    align: 'end',
    cell: ({ ledger_silent_ms: ms }) => (ms === null ? NONE : duration(ms)),
  },
  {
    id: 'leased',
    title: 'Leased',
    priority: 7,
    width: 128,
    align: 'end',
    cell: ({ leased }) => (leased === null ? NONE : <Money value={leased} />),
  },
  {
    id: 'unsettled',
    title: 'Unsettled charges',
    priority: 2,
    width: 128,
    align: 'end',
    cell: ({ unsettled_charges: charges }) => (charges === null ? NONE : count(charges)),
  },
  {
    id: 'oldest',
    title: 'Oldest',
    priority: 3,
    width: 104,
    align: 'end',
    phone: 'end',
    cell: ({ oldest_unsettled_ms: ms }) => (ms === null ? NONE : duration(ms)),
  },
];

function State({ ingress }: { ingress: Ingress }) {
  const { revocation_silent_ms: auth, ledger_silent_ms: ledger, oldest_unsettled_ms: oldest } = ingress;
  if (auth === null || auth > SILENT_MS) return <Badge tone="bad">No contact with auth</Badge>;
  if (ledger === null || ledger > SILENT_MS) return <Badge tone="bad">No contact with ledger</Badge>;
  if (oldest !== null && oldest > UNSETTLED_MS) return <Badge tone="warn">Settles late</Badge>;
  return <Badge tone="good">Up to date</Badge>;
}
