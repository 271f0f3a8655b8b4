import { Money } from '../../components/money.tsx';
import { RowLink } from '../../components/table/row-link.tsx';
import type { Column } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { duration } from '../../format/time.ts';
import type { RequestRow } from './filters.ts';
import { StatusBadge } from './status-badge.tsx';

const NONE = <span className="muted">–</span>;

export function requestColumns(href: (row: RequestRow) => string): Column<RequestRow>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      width: 112,
      priority: 1,
      phone: 'end',
      cell: ({ started_at }) => <Time value={started_at} />,
    },
    {
      id: 'status',
      title: 'Status',
      width: 232,
      priority: 3,
      phone: 'detail',
      cell: ({ status, reason, reason_label }) => <StatusBadge status={status} reason={reason_label ?? reason} />,
    },
    {
      id: 'model',
      title: 'Model',
      phone: 'title',
      cell: (row) => <RowLink href={href(row)}>{row.model === '' ? 'No model' : row.model}</RowLink>,
    },
    {
      id: 'key',
      title: 'Key',
      priority: 4,
      // Of a request that was refused with a deleted key, some roles know only the id.
      cell: ({ key_name, key_id }) => (key_name === '' ? <code className="muted">{key_id}</code> : key_name),
    },
    {
      id: 'tokens',
      title: 'Tokens',
      priority: 6,
      width: 88,
      align: 'end',
      cell: ({ tokens, status }) => (status === 'refused' ? NONE : count(tokens)),
    },
    {
      id: 'cost',
      title: 'Cost',
      priority: 2,
      width: 136,
      align: 'end',
      phone: 'value',
      cell: ({ cost, status }) => (status === 'refused' ? NONE : <Money value={cost} />),
    },
    {
      id: 'duration',
      title: 'Duration',
      priority: 5,
      width: 96,
      align: 'end',
      cell: ({ duration_ms }) => (duration_ms === null ? NONE : duration(duration_ms)),
    },
  ];
}
