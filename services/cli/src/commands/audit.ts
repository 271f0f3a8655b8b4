import type { AuditEntry, ListAuditRequest, ListAuditResponse } from '@tollgate/proto/audit';
import type { Command } from 'commander';
import { formatTable, formatTime } from '../output/table.ts';
import { callAuth, callLedger } from '../services/clients.ts';
import { moreLine } from '../services/pages.ts';
import { count, time, uuid } from '../terminal/arguments.ts';
import { UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Json, jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

const PAGE_SIZE = 1_000;
const DAY_MS = 86_400_000;
/** Clocks of the services may be ahead of this one. */
const CLOCK_DIFFERENCE_MS = 60_000;

interface AuditOptions extends GlobalOptions {
  account?: string;
  start?: number;
  end?: number;
  action?: string;
  actor?: string;
  limit: number;
}

type ReadPage = (request: ListAuditRequest) => Promise<ListAuditResponse>;

export function addAuditCommand(program: Command, io: Io): void {
  program
    .command('audit')
    .description('show who changed what, newest first')
    .option('--account <account>', 'only changes of this account', uuid)
    .option('--start <time>', 'from this time on; default: 30 days before the end', time)
    .option('--end <time>', 'before this time; default: now', time)
    .option('--action <action>', 'only this action, such as key.delete, or its first part, such as key')
    .option('--actor <id>', 'only changes by this person or management key', uuid)
    .option('--limit <count>', 'maximum number of entries', count, 100)
    .action(async (_: unknown, command: Command) => {
      await showAudit(io, command.optsWithGlobals<AuditOptions>());
    });
}

async function showAudit(io: Io, options: AuditOptions): Promise<void> {
  const caller = { io, options };
  const request = requestOf(options, io);
  const lists = await Promise.all(
    [
      (page: ListAuditRequest) => callAuth(caller, (client) => client.listAudit.bind(client), page),
      (page: ListAuditRequest) => callLedger(caller, (client) => client.listAudit.bind(client), page),
    ].map((readPage) => readEntries(readPage, request, options.limit)),
  );
  const merged = lists.flatMap(({ entries }) => entries).sort(newestFirst);
  const entries = merged.slice(0, options.limit);
  const more = merged.length > entries.length || lists.some((list) => list.more);
  const columns = ['TIME', 'ACTOR', 'ROLE', 'VIA', 'ACTION', 'TARGET', 'DETAILS'].map((title) => ({ title }));
  const text = formatTable(columns, entries.map(fieldsOf), 'There are no entries.') + moreLine(more);
  print(io, options, { json: { entries: entries.map(toJson), more }, text });
}

function requestOf(options: AuditOptions, io: Io): ListAuditRequest {
  const endMs = options.end ?? io.now() + CLOCK_DIFFERENCE_MS;
  const startMs = options.start ?? endMs - 30 * DAY_MS;
  if (startMs >= endMs) throw new UsageFailure('--start must be before --end');
  return {
    accountId: options.account ?? '',
    startMs: BigInt(startMs),
    endMs: BigInt(endMs),
    limit: PAGE_SIZE,
    beforeEntryId: '',
    actorId: options.actor ?? '',
    targetId: '',
    action: options.action ?? '',
  };
}

/** The newest entries of one service, at most `limit`. */
async function readEntries(readPage: ReadPage, request: ListAuditRequest, limit: number): Promise<ListAuditResponse> {
  const entries: AuditEntry[] = [];
  let more = true;
  while (more && entries.length < limit) {
    const beforeEntryId = entries.at(-1)?.entryId ?? '';
    const page = await readPage({ ...request, beforeEntryId, limit: Math.min(PAGE_SIZE, limit - entries.length) });
    entries.push(...page.entries);
    more = page.more;
  }
  return { entries, more };
}

/** Entry ids begin with their time, in all services. */
function newestFirst(a: AuditEntry, b: AuditEntry): number {
  if (a.entryId === b.entryId) return 0;
  return a.entryId < b.entryId ? 1 : -1;
}

function fieldsOf({ createdAtMs, actor, action, targetId, targetName, details }: AuditEntry): string[] {
  const changes = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  const target = targetName === '' ? targetId : `${targetName} (${targetId})`;
  return [
    formatTime(createdAtMs),
    actor?.name ?? '',
    actor?.role ?? '',
    actor?.via ?? '',
    action,
    target,
    changes.join('; '),
  ];
}

function toJson(entry: AuditEntry): Json {
  const { actor } = entry;
  return {
    entry_id: entry.entryId,
    created_at: jsonTime(entry.createdAtMs),
    account_id: entry.accountId === '' ? null : entry.accountId,
    actor: { id: actor?.actorId || null, name: actor?.name ?? '', role: actor?.role || null, via: actor?.via ?? '' },
    action: entry.action,
    target_id: entry.targetId,
    target_name: entry.targetName,
    details: entry.details,
  };
}
