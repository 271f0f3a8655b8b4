import type { Item } from '../../api/client.ts';
import { patch, useChange, useRead } from '../../api/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';

type Row = Item<'GET /person/sessions'>;

export function SessionsTable() {
  const sessions = useRead('GET /person/sessions', {});
  const end = useChange('DELETE /person/sessions/{session_id}', {
    failed: 'The session was not ended.',
    optimistic: ({ path }) => [
      patch('GET /person/sessions', (list) => ({
        ...list,
        data: list.data.filter((each) => each.session_id !== path.session_id),
      })),
    ],
    invalidates: ['GET /person/sessions'],
  });
  const columns: Column<Row>[] = [
    {
      id: 'device',
      title: 'Device',
      cell: ({ device, kind }) => (
        <span data-tip={device}>{kind === 'command_line' ? `Command line: ${device}` : device}</span>
      ),
    },
    {
      id: 'address',
      title: 'IP address',
      width: 144,
      grow: 1,
      priority: 3,
      cell: ({ ip_address }) => <code>{ip_address}</code>,
    },
    {
      id: 'created',
      title: 'Signed in',
      priority: 4,
      width: 120,
      cell: ({ created_at }) => <Time value={created_at} />,
    },
    {
      id: 'seen',
      title: 'Last seen',
      priority: 2,
      width: 120,
      phone: 'detail',
      cell: ({ last_seen_at }) => <Time value={last_seen_at} />,
    },
    {
      id: 'end',
      title: 'Actions',
      priority: 0,
      hideTitle: true,
      width: 128,
      align: 'end',
      phone: 'value',
      cell: ({ session_id, device, current }) =>
        current ? (
          <Badge tone="good">This session</Badge>
        ) : (
          <Button
            look="quiet"
            size="small"
            aria-label={`End session of ${device}`}
            onPress={() => end.mutate({ path: { session_id } })}
          >
            End session
          </Button>
        ),
    },
  ];
  if (sessions.isError && sessions.data === undefined) {
    return <ErrorNote title="Your sessions could not be loaded." error={sessions.error} onRetry={sessions.refetch} />;
  }
  return <Table label="Sessions" columns={columns} rows={sessions.data?.data} rowId={({ session_id }) => session_id} />;
}
