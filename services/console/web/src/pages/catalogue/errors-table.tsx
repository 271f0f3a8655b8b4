import type { Output } from '../../api/client.ts';
import { type Column, Table } from '../../components/table/table.tsx';

type CatalogueError = Output<'GET /operator/catalogue'>['errors'][number];

export function CatalogueErrors({ errors }: { errors: readonly CatalogueError[] }) {
  return (
    <Table
      label="Errors in the file"
      columns={COLUMNS}
      rows={errors}
      rowId={({ line, column, message }) => `${line}:${column} ${message}`}
    />
  );
}

const COLUMNS: Column<CatalogueError>[] = [
  {
    id: 'place',
    title: 'Line and column',
    width: '128px',
    phone: 'detail',
    cell: ({ line, column }) => (
      <code>
        {line}:{column}
      </code>
    ),
  },
  { id: 'message', title: 'Error', phone: 'title', cell: ({ message }) => <span data-tip={message}>{message}</span> },
];
