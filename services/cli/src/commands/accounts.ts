import { formatPercent } from '@tollgate/common/money';
import { type Account, AccountStatus, UpdateAccountRequest } from '@tollgate/proto/auth';
import type { Command } from 'commander';
import { limitsJson, limitsText } from '../output/limits.ts';
import { formatFields, formatTable, formatTime } from '../output/table.ts';
import { CHANGE_DEADLINE_MS, callAuth } from '../services/clients.ts';
import { moreLine, readPages } from '../services/pages.ts';
import { count, percent, uuid } from '../terminal/arguments.ts';
import type { Io } from '../terminal/io.ts';
import { type Json, jsonTime, print } from '../terminal/print.ts';
import { type LimitOptions, limitsOf, newValue, withLimits } from './attribute-options.ts';
import type { GlobalOptions } from './global-options.ts';

interface CreateOptions extends GlobalOptions {
  idempotencyKey?: string;
}

interface UpdateOptions extends GlobalOptions, LimitOptions {
  name?: string;
  withoutLimits?: boolean;
}

interface SuspendOptions extends GlobalOptions {
  reason: string;
}

interface ListOptions extends GlobalOptions {
  limit: number;
}

export function addAccountCommands(program: Command, io: Io): void {
  const accounts = program.command('accounts').description('create, show, change and suspend accounts');
  accounts
    .command('create')
    .description('create an account')
    .argument('<name>', 'name of the account')
    .option('--idempotency-key <key>', 'a repeated call with the same key returns the same account')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      const request = { name, idempotencyKey: options.idempotencyKey ?? '' };
      const { account } = await callAuth({ io, options }, (client) => client.createAccount.bind(client), request);
      printAccount(io, options, account);
    });
  accounts
    .command('get')
    .description('show one account')
    .argument('<account>', 'id of the account', uuid)
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { account } = await callAuth({ io, options }, (client) => client.getAccount.bind(client), { accountId });
      printAccount(io, options, account);
    });
  addUpdate(accounts, io);
  addSuspension(accounts, io);
  accounts
    .command('set-discount')
    .description('set the discount of an account on list prices, from the next request on')
    .argument('<account>', 'id of the account', uuid)
    .argument('<percent>', 'percent of the list price, exact, such as 12.5; 0 for none', percent)
    .action(async (accountId: string, discountPpm: number, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      await update(io, options, { accountId, discountPpm });
    });
  accounts
    .command('list')
    .description('list accounts in order of creation')
    .option('--limit <count>', 'maximum number of accounts', count, 1_000)
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const { items, more } = await readPages(options.limit, async (pageSize, pageToken) => {
        const request = { pageSize, pageToken, accountIds: [] };
        const page = await callAuth({ io, options }, (client) => client.listAccounts.bind(client), request);
        return { items: page.accounts, next: page.nextPageToken };
      });
      const columns = [
        { title: 'ACCOUNT' },
        { title: 'NAME' },
        { title: 'STATUS' },
        { title: 'CREATED' },
        { title: 'DISCOUNT' },
        { title: 'LIMITS' },
      ];
      const rows = items.map((account) => fieldsOf(account).map(([, value]) => value));
      const text = formatTable(columns, rows, 'There are no accounts yet: create one with "tollgate accounts create".');
      print(io, options, { json: { accounts: items.map(toJson), more }, text: text + moreLine(more) });
    });
}

function addUpdate(accounts: Command, io: Io): void {
  const change = accounts
    .command('update')
    .description(
      'change the given attributes of an account; limits apply to all its keys together and are replaced as a set',
    )
    .argument('<account>', 'id of the account', uuid)
    .option('--name <name>', 'new name');
  withLimits(change)
    .option('--without-limits', 'remove all limits')
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<UpdateOptions>();
      const limits = newValue(limitsOf(options), ['--without-limits', options.withoutLimits === true], {});
      await update(io, options, { accountId, name: options.name, limits });
    });
}

function addSuspension(accounts: Command, io: Io): void {
  accounts
    .command('suspend')
    .description('refuse all keys of an account until it is resumed; in force everywhere when this returns')
    .argument('<account>', 'id of the account', uuid)
    .requiredOption('--reason <text>', 'reason, shown to operators')
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SuspendOptions>();
      const request = { accountId, reason: options.reason };
      const caller = { io, options };
      const { account } = await callAuth(
        caller,
        (client) => client.suspendAccount.bind(client),
        request,
        CHANGE_DEADLINE_MS,
      );
      printAccount(io, options, account);
    });
  accounts
    .command('resume')
    .description('lift the suspension of an account; in force everywhere when this returns')
    .argument('<account>', 'id of the account', uuid)
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const caller = { io, options };
      const request = { accountId };
      const { account } = await callAuth(
        caller,
        (client) => client.resumeAccount.bind(client),
        request,
        CHANGE_DEADLINE_MS,
      );
      printAccount(io, options, account);
    });
}

async function update(
  io: Io,
  options: GlobalOptions,
  fields: Parameters<typeof UpdateAccountRequest.fromPartial>[0],
): Promise<void> {
  const request = UpdateAccountRequest.fromPartial(fields);
  const caller = { io, options };
  const { account } = await callAuth(
    caller,
    (client) => client.updateAccount.bind(client),
    request,
    CHANGE_DEADLINE_MS,
  );
  printAccount(io, options, account);
}

function printAccount(io: Io, options: GlobalOptions, account: Account | undefined): void {
  if (account === undefined) throw new Error('the auth service responded without an account');
  print(io, options, { json: toJson(account), text: formatFields(fieldsOf(account)) });
}

function fieldsOf(account: Account): [string, string][] {
  return [
    ['account', account.accountId],
    ['name', account.name],
    [
      'status',
      statusName(account.status) + (account.suspensionReason === undefined ? '' : `: ${account.suspensionReason}`),
    ],
    ['created', formatTime(account.createdAtMs)],
    ['discount', `${formatPercent(account.discountPpm)} %`],
    ['limits', limitsText(account.limits)],
  ];
}

function toJson(account: Account): { [key: string]: Json } {
  return {
    account_id: account.accountId,
    name: account.name,
    status: statusName(account.status),
    tag: account.tag,
    created_at: jsonTime(account.createdAtMs),
    discount_percent: formatPercent(account.discountPpm),
    limits: limitsJson(account.limits),
    suspension_reason: account.suspensionReason ?? null,
  };
}

function statusName(status: AccountStatus): string {
  switch (status) {
    case AccountStatus.ACTIVE:
      return 'active';
    case AccountStatus.SUSPENDED:
      return 'suspended';
    case AccountStatus.UNSPECIFIED:
      return 'unknown';
    default:
      status satisfies never;
      return 'unknown';
  }
}
