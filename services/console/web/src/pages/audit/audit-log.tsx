import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Item } from '../../api/client.ts';
import { ExportMenu } from '../../components/export-menu.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { Empty, ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { RangePicker, ZonePicker } from '../../components/range-picker.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { actionTitle, targetHref, targetText } from './actions.ts';
import { EntryDialog } from './entry-dialog.tsx';
import type { AuditFilters } from './filters.ts';

/** Only the log of all accounts names the account. */
export type AuditEntry = Item<'GET /accounts/{account_id}/audit'> & Partial<Item<'GET /operator/audit'>>;

interface AuditLogProps {
  title: string;
  about: string;
  /** Whether it is the log of all accounts. */
  ofAll?: boolean;
  /** What it can be filtered by. */
  subjects: readonly Choice[];
  filters: AuditFilters;
  list: {
    data: unknown;
    isError: boolean;
    error: Error | null;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  entries: readonly AuditEntry[] | undefined;
  exportAddress: (format: 'csv' | 'json') => string;
}

/** A filtered audit log, newest first. A row opens its details. */
export function AuditLog(props: AuditLogProps) {
  const { title, about, ofAll = false, subjects, filters, list, entries, exportAddress } = props;
  const [params] = useSearchParams();
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const { accounts, actors, targets } = useMemo(() => named(entries ?? []), [entries]);
  const isFiltered = ['account', 'actor', 'target', 'action'].some((name) => params[name] !== undefined);
  return (
    <Page
      title={title}
      about={about}
      actions={
        <>
          <RangePicker range={filters.range} onChange={filters.setRange} presets={['24h', '7d', '30d', '90d', '1y']} />
          <ZonePicker />
          <ExportMenu addressOf={exportAddress} />
        </>
      }
    >
      <FilterChips
        filters={[
          ...(ofAll ? [{ name: 'account', label: 'Account', options: withChosen(accounts, params['account']) }] : []),
          { name: 'action', label: 'About', options: subjects },
          { name: 'actor', label: 'By', options: withChosen(actors, params['actor']) },
          { name: 'target', label: 'Target', options: withChosen(targets, params['target']) },
        ]}
      />
      {list.isError && entries === undefined ? (
        <ErrorNote title="The audit log could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label={title}
          columns={ofAll ? ALL_COLUMNS : COLUMNS}
          rows={entries}
          rowId={({ entry_id }) => entry_id}
          onOpen={setOpen}
          onEnd={list.hasNextPage && !list.isFetchingNextPage && !list.isError ? list.fetchNextPage : undefined}
          loadingMore={list.isFetchingNextPage}
          empty={
            <Empty title="No entries">
              <p>{isFiltered ? 'Nothing in this range has these filters.' : 'Nothing was changed in this range.'}</p>
            </Empty>
          }
        />
      )}
      <MoreFailed what="Older entries" list={list} />
      {open !== null && <EntryDialog entry={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

const COLUMNS: Column<AuditEntry>[] = [
  {
    id: 'time',
    title: 'Time',
    width: 112,
    priority: 1,
    phone: 'value',
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    id: 'action',
    title: 'Action',
    width: 176,
    grow: 1,
    phone: 'title',
    cell: ({ action }) => <span className="strong">{actionTitle(action)}</span>,
  },
  { id: 'target', title: 'Target', phone: 'end', cell: (entry) => <Target entry={entry} /> },
  { id: 'actor', title: 'By', phone: 'detail', cell: ({ actor }) => actor.name },
  { id: 'via', title: 'Via', width: 120, cell: ({ actor }) => <span className="muted">{VIA[actor.via]}</span> },
];

const ALL_COLUMNS: Column<AuditEntry>[] = [
  ...COLUMNS.slice(0, 2),
  {
    id: 'account',
    title: 'Account',
    width: 144,
    grow: 1,
    cell: ({ account_id, account_name }) =>
      account_id === null ? (
        <span className="muted">–</span>
      ) : (
        <Link href={`/accounts/${account_id}/overview`}>{account_name ?? account_id}</Link>
      ),
  },
  ...COLUMNS.slice(2),
];

export const VIA = { console: 'Console', api: 'API', cli: 'Cluster', key: 'API key' } as const;

/** What was changed, with the way to it. */
export function Target({ entry }: { entry: AuditEntry }) {
  const href = targetHref(entry);
  return href === null ? targetText(entry) : <Link href={href}>{targetText(entry)}</Link>;
}

interface Choice {
  value: string;
  label: string;
}

/** Accounts, people and targets of the entries that are loaded, to filter by. */
function named(entries: readonly AuditEntry[]): { accounts: Choice[]; actors: Choice[]; targets: Choice[] } {
  const accounts = new Map<string, string>();
  const actors = new Map<string, string>();
  const targets = new Map<string, string>();
  for (const entry of entries) {
    const { account_id, account_name, actor, target_id } = entry;
    if (account_id !== null) accounts.set(account_id, account_name ?? account_id);
    if (actor.id !== '') actors.set(actor.id, actor.name);
    if (target_id !== '') targets.set(target_id, targetText(entry));
  }
  const choices = (names: Map<string, string>) => [...names].map(([value, label]) => ({ value, label }));
  return { accounts: choices(accounts), actors: choices(actors), targets: choices(targets) };
}

/** A filter in the address may name what no loaded entry has. */
function withChosen(choices: Choice[], chosen: string | undefined): Choice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices;
  return [{ value: chosen, label: chosen }, ...choices];
}
