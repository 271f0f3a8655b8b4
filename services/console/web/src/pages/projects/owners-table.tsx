import type { ReactNode } from 'react';
import { loadMoreOf } from '../../api/queries.ts';
import type { MenuEntry } from '../../components/menu.tsx';
import { ErrorNote, MoreFailed } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { nodeColumns } from './columns.tsx';
import { NodeMenu } from './node-menu.tsx';
import type { ProjectMember, ServiceAccount } from './nodes.ts';

interface OwnersTableProps<N> {
  /** What it lists, for screen readers: `Service accounts`. */
  label: string;
  /** As in a sentence: `service accounts`. */
  what: string;
  list: Parameters<typeof loadMoreOf>[0] & Parameters<typeof MoreFailed>[0]['list'] & { refetch: () => unknown };
  rows: readonly N[] | undefined;
  idOf: (of: N) => string;
  nameTitle: string;
  nameOf: (of: N) => string;
  mayChange: boolean;
  onEdit: (of: N) => void;
  onSwitch: (of: N, enabled: boolean) => void;
  /** More entries in the menu of each. */
  more?: (of: N) => readonly MenuEntry[];
  empty: ReactNode;
}

/** The owners of keys in a project: its service accounts, or its members. */
export function OwnersTable<N extends ServiceAccount | ProjectMember>(props: OwnersTableProps<N>) {
  const { label, what, list, rows, idOf, nameTitle, nameOf, mayChange, onEdit, onSwitch, more, empty } = props;
  const columns: Column<N>[] = [
    { id: 'name', title: nameTitle, width: 160, grow: 2, cell: (of) => <span className="strong">{nameOf(of)}</span> },
    ...nodeColumns<N>(),
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 48,
      align: 'end',
      phone: 'end',
      cell: (of) =>
        mayChange && (
          <NodeMenu
            name={nameOf(of)}
            enabled={of.enabled}
            onEdit={() => onEdit(of)}
            onSwitch={(enabled) => onSwitch(of, enabled)}
            more={more?.(of) ?? []}
          />
        ),
    },
  ];
  return (
    <>
      {list.isError && rows === undefined ? (
        <ErrorNote title={`The ${what} could not be loaded.`} error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label={label}
          columns={columns}
          rows={rows}
          rowId={idOf}
          {...(mayChange ? { onOpen: onEdit } : {})}
          isFaded={({ status }) => status !== 'active'}
          onEnd={loadMoreOf(list)}
          loadingMore={list.isFetchingNextPage}
          empty={empty}
        />
      )}
      <MoreFailed what={`More ${what}`} list={list} />
    </>
  );
}
