import { formatDollars } from '@tollgate/common/money';
import { type QuarantinedCharge, type RepostQuarantinedResponse, SettleOutcome } from '@tollgate/proto/ledger';
import type { Command } from 'commander';
import { formatTable, formatTime } from '../output/table.ts';
import { callLedger } from '../services/clients.ts';
import { moreLine, readPages } from '../services/pages.ts';
import { count } from '../terminal/arguments.ts';
import { CommandFailure, UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Json, jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface ListOptions extends GlobalOptions {
  account?: string;
  limit: number;
}

interface RepostOptions extends GlobalOptions {
  all?: boolean;
  content?: string;
}

/** Maximum charges that one `repost --all` posts again. */
const MAX_REPOSTS = 100_000;

export function addQuarantineCommands(program: Command, io: Io): void {
  const quarantine = program.command('quarantine').description('charges that the ledger could not post');
  quarantine
    .command('list')
    .description('list quarantined charges by account and request')
    .option('--account <id>', 'only charges of this account')
    .option('--limit <count>', 'maximum number of charges', count, 100)
    .action(async (_: unknown, command: Command) => {
      await list(io, command.optsWithGlobals<ListOptions>());
    });
  quarantine
    .command('repost')
    .description(
      'post quarantined charges again, up to the available balance; exits with status 1 if any stays quarantined',
    )
    .argument('[account]', 'id of the account')
    .argument('[request]', 'id of the request')
    .option('--content <hash>', 'content hash, where the request has several records')
    .option('--all', 'repost all quarantined charges')
    .action(async (account: string | undefined, request: string | undefined, _: unknown, command: Command) => {
      await repost(io, account, request, command.optsWithGlobals<RepostOptions>());
    });
}

async function list(io: Io, options: ListOptions): Promise<void> {
  const { items, more } = await readQuarantined(io, options, options.account ?? '', options.limit);
  const columns = [
    { title: 'ACCOUNT' },
    { title: 'REQUEST' },
    { title: 'CONTENT' },
    { title: 'COST', align: 'right' as const },
    { title: 'FIRST SEEN' },
    { title: 'TIMES', align: 'right' as const },
    { title: 'REASON' },
  ];
  const rows = items.map((charge) => [
    charge.accountId,
    charge.requestId,
    charge.contentHash,
    formatDollars(charge.costNanos),
    formatTime(charge.firstSeenAtMs),
    charge.timesSeen.toString(),
    charge.reason,
  ]);
  const text = formatTable(columns, rows, 'Nothing is quarantined.') + moreLine(more);
  print(io, options, { json: { charges: items.map(toJson), more }, text });
}

function readQuarantined(io: Io, options: GlobalOptions, accountId: string, max: number) {
  return readPages(max, async (limit, cursor) => {
    const request = { accountId, limit, cursor };
    const page = await callLedger({ io, options }, (client) => client.listQuarantined.bind(client), request);
    return { items: page.charges, next: page.nextCursor };
  });
}

async function repost(io: Io, account: string | undefined, request: string | undefined, options: RepostOptions) {
  const wanted = await namedBy(io, account, request, options);
  const results: { requestId: string; response: RepostQuarantinedResponse }[] = [];
  for (const { accountId, requestId, contentHash } of wanted) {
    const named = { accountId, requestId, contentHash };
    const response = await callLedger({ io, options }, (client) => client.repostQuarantined.bind(client), named);
    results.push({ requestId, response });
  }
  const columns = [
    { title: 'REQUEST' },
    { title: 'OUTCOME' },
    { title: 'COST', align: 'right' as const },
    { title: 'PAID', align: 'right' as const },
    { title: 'REASON' },
  ];
  const rows = results.map(({ requestId, response }) => [
    requestId,
    outcomeText(response.outcome),
    formatDollars(response.costNanos),
    formatDollars(response.chargedNanos),
    response.reason,
  ]);
  const json = results.map(({ requestId, response }) => ({
    request_id: requestId,
    outcome: outcomeText(response.outcome),
    cost: formatDollars(response.costNanos),
    charged: formatDollars(response.chargedNanos),
    currency: 'USD',
    reason: response.reason === '' ? null : response.reason,
  }));
  print(io, options, { json: { charges: json }, text: formatTable(columns, rows, 'Nothing is quarantined.') });
  const left = results.filter(({ response }) => response.outcome === SettleOutcome.QUARANTINED).length;
  if (left > 0) throw new CommandFailure(`${left} of ${results.length} charges are still quarantined`);
}

type Named = Pick<QuarantinedCharge, 'accountId' | 'requestId' | 'contentHash'>;

async function namedBy(
  io: Io,
  account: string | undefined,
  request: string | undefined,
  options: RepostOptions,
): Promise<Named[]> {
  if (options.all === true) {
    if (account !== undefined) throw new UsageFailure('give either an account and a request, or --all');
    return (await readQuarantined(io, options, '', MAX_REPOSTS)).items;
  }
  if (account === undefined || request === undefined) throw new UsageFailure('give an account and a request, or --all');
  return [{ accountId: account, requestId: request, contentHash: options.content ?? '' }];
}

function outcomeText(outcome: SettleOutcome): string {
  switch (outcome) {
    case SettleOutcome.POSTED:
      return 'posted';
    case SettleOutcome.DUPLICATE:
      return 'posted before';
    case SettleOutcome.LOSS:
      return 'posted with a loss';
    case SettleOutcome.QUARANTINED:
      return 'still quarantined';
    case SettleOutcome.UNSPECIFIED:
      return 'unknown';
    default:
      return outcome satisfies never;
  }
}

function toJson(charge: QuarantinedCharge): Json {
  return {
    account_id: charge.accountId,
    request_id: charge.requestId,
    content: charge.contentHash,
    model: charge.model,
    cost: formatDollars(charge.costNanos),
    hold: formatDollars(charge.holdNanos),
    currency: 'USD',
    first_seen_at: jsonTime(charge.firstSeenAtMs),
    last_seen_at: jsonTime(charge.lastSeenAtMs),
    times_seen: charge.timesSeen.toString(),
    reason: charge.reason,
  };
}
