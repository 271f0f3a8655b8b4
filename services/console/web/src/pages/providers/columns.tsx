import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { duration } from '../../format/time.ts';
import { errorRate, failuresOf } from './health.ts';
import type { Deployment } from './providers-page.tsx';

export const DEPLOYMENT_COLUMNS: Column<Deployment>[] = [
  {
    id: 'deployment',
    title: 'Deployment',
    width: 240,
    grow: 1,
    cell: ({ deployment, model, upstream_model }) => (
      <span data-tip={`${model}, at the provider ${upstream_model}`}>
        <span className="strong">{deployment}</span> <span className="muted">{model}</span>
      </span>
    ),
  },
  { id: 'state', title: 'State', width: 168, phone: 'detail', cell: (row) => <State deployment={row} /> },
  {
    id: 'requests',
    title: 'Requests',
    priority: 4,
    width: 112,
    align: 'end',
    cell: (row) => count(row.successes + failuresOf(row)),
  },
  {
    id: 'errors',
    title: 'Errors',
    priority: 2,
    width: 88,
    align: 'end',
    phone: 'value',
    cell: (row) => <span data-tip={kinds(row)}>{errorRate(row)}</span>,
  },
  {
    id: 'duration',
    title: 'Mean time',
    priority: 3,
    width: 96,
    align: 'end',
    phone: 'end',
    cell: ({ mean_duration_ms }) =>
      mean_duration_ms === null ? <span className="muted">–</span> : duration(mean_duration_ms),
  },
  {
    id: 'success',
    title: 'Last success',
    width: 120,
    cell: ({ last_success_at }) =>
      last_success_at === null ? <span className="muted">–</span> : <Time value={last_success_at} />,
  },
  {
    id: 'failure',
    title: 'Last failure',
    width: 184,
    cell: ({ last_failure_at, last_failure_status }) =>
      last_failure_at === null ? (
        <span className="muted">–</span>
      ) : (
        <>
          <Time value={last_failure_at} />
          {last_failure_status !== null && <span className="muted"> status {last_failure_status}</span>}
        </>
      ),
  },
];

function State({ deployment: { in_rotation, paused_until } }: { deployment: Deployment }) {
  if (in_rotation) return <Badge tone="good">In rotation</Badge>;
  return (
    <Badge tone="bad">
      <span>
        Paused
        {paused_until !== null && (
          <>
            , back <Time value={paused_until} />
          </>
        )}
      </span>
    </Badge>
  );
}

function kinds(row: Deployment): string {
  return `${count(row.failures)} failed, ${count(row.timeouts)} timed out, ${count(row.rate_limited)} rate limited, ${count(row.credentials_refused)} with refused credentials`;
}
