import { type Event, EventState } from '@tollgate/proto/ledger';
import type { Command } from 'commander';
import { formatTable, formatTime } from '../output/table.ts';
import { callLedger } from '../services/clients.ts';
import { moreLine, readPages } from '../services/pages.ts';
import { count, uuid } from '../terminal/arguments.ts';
import type { Io } from '../terminal/io.ts';
import { type Json, jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface ListOptions extends GlobalOptions {
  limit: number;
}

export function addEventsCommand(program: Command, io: Io): void {
  program
    .command('events')
    .description('show the webhook events of an account')
    .command('list')
    .description('list events and their delivery, newest first')
    .argument('<account>', 'id of the account', uuid)
    .option('--limit <count>', 'maximum number of events', count, 100)
    .action(async (accountId: string, _: unknown, command: Command) => {
      await listEvents(io, accountId, command.optsWithGlobals<ListOptions>());
    });
}

async function listEvents(io: Io, accountId: string, options: ListOptions): Promise<void> {
  const { items, more } = await readPages(options.limit, async (limit, cursor) => {
    const request = { accountId, limit, cursor };
    const page = await callLedger({ io, options }, (client) => client.listEvents.bind(client), request);
    return { items: page.events, next: page.nextCursor };
  });
  const columns = [
    { title: 'EVENT' },
    { title: 'TYPE' },
    { title: 'CREATED' },
    { title: 'STATE' },
    { title: 'TRIES', align: 'right' as const },
    { title: 'LAST ERROR' },
    { title: 'DATA' },
  ];
  const rows = items.map((event) => [
    event.eventId,
    event.type,
    formatTime(event.createdAtMs),
    stateName(event.state),
    String(event.attempts),
    event.lastError,
    event.dataJson,
  ]);
  const text = formatTable(columns, rows, 'There are no events.') + moreLine(more);
  print(io, options, { json: { events: items.map(toJson), more }, text });
}

function toJson(event: Event): Json {
  return {
    event_id: event.eventId,
    account_id: event.accountId,
    type: event.type,
    data: JSON.parse(event.dataJson),
    created_at: jsonTime(event.createdAtMs),
    state: stateName(event.state),
    attempts: event.attempts,
    next_attempt_at: jsonTime(event.nextAttemptAtMs),
    ended_at: jsonTime(event.endedAtMs),
    last_error: event.lastError === '' ? null : event.lastError,
  };
}

function stateName(state: EventState): string {
  switch (state) {
    case EventState.PENDING:
      return 'pending';
    case EventState.DELIVERED:
      return 'delivered';
    case EventState.GIVEN_UP:
      return 'given up';
    case EventState.UNSENT:
      return 'unsent';
    case EventState.UNSPECIFIED:
      return 'unknown';
    default:
      return state satisfies never;
  }
}
