import { formatDollars } from '@tollgate/common/money';
import { type ApiKey, CreateKeyRequest, KeyStatus, type SpendingCaps, UpdateKeyRequest } from '@tollgate/proto/auth';
import type { Command } from 'commander';
import { amountFromZero, collect, count, time, uuid } from '../arguments.ts';
import { UsageFailure } from '../failure.ts';
import type { Io } from '../io.ts';
import { type Json, jsonTime } from '../output/json.ts';
import { print } from '../output/print.ts';
import { formatFields, formatTable, formatTime } from '../output/table.ts';
import { moreLine, readPages } from '../pages.ts';
import { CHANGE_DEADLINE_MS, callAuth } from '../services/clients.ts';
import type { GlobalOptions } from './global-options.ts';

interface CapOptions extends GlobalOptions {
  capDay?: bigint;
  capMonth?: bigint;
  capTotal?: bigint;
}

interface CreateOptions extends CapOptions {
  name: string;
  expires?: number;
  model: string[];
}

interface ListOptions extends GlobalOptions {
  limit: number;
}

interface SetCapsOptions extends CapOptions {
  account?: string;
  none?: boolean;
}

interface DeleteOptions extends GlobalOptions {
  account?: string;
}

export function addKeyCommands(program: Command, io: Io): void {
  const keys = program.command('keys').description('create, show and delete API keys');
  withCaps(
    keys
      .command('create')
      .description('create a key, which is shown this once and never again')
      .argument('<account>', 'id of the account', uuid)
      .option('--name <name>', 'its name, to tell it from others', 'key')
      .option('--expires <time>', 'when it ends; never when absent', time)
      .option('--model <id>', 'a model it may call; may be repeated; all when absent', collect, []),
  ).action(async (accountId: string, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<CreateOptions>();
    const request = CreateKeyRequest.fromPartial({
      accountId,
      name: options.name,
      expiresAtMs: BigInt(options.expires ?? 0),
      allowedModels: options.model,
      caps: capsOf(options),
    });
    const { key, secret } = await callAuth({ io, options }, (client) => client.createKey.bind(client), request);
    if (key === undefined) throw new Error('the auth service answered without a key');
    const text = `${formatFields(fieldsOf(key))}\n${secret}\n\nKeep it now: it is stored nowhere and cannot be shown again.\n`;
    print(io, options, { json: { ...toJson(key), secret }, text });
  });
  keys
    .command('list')
    .description('list the keys of an account, newest first, deleted ones too')
    .argument('<account>', 'id of the account', uuid)
    .option('--limit <count>', 'keys at most', count, 1_000)
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const { items, more } = await readPages(options.limit, async (pageSize, pageToken) => {
        const request = { accountId, pageSize, pageToken };
        const page = await callAuth({ io, options }, (client) => client.listKeys.bind(client), request);
        return { items: page.keys, next: page.nextPageToken };
      });
      const columns = ['ID', 'NAME', 'KEY', 'STATUS', 'CREATED', 'EXPIRES', 'MODELS', 'CAPS'].map((title) => ({
        title,
      }));
      const rows = items.map((key) => fieldsOf(key).map(([, value]) => value));
      const text = formatTable(columns, rows, 'The account has no keys yet.') + moreLine(more);
      print(io, options, { json: { keys: items.map(toJson), more }, text });
    });
  withCaps(
    keys
      .command('set-caps')
      .description('put other spending caps in the place of all caps of a key; the next request is held to them')
      .argument('<key>', 'id of the key, not the key itself', uuid),
  )
    .option('--none', 'take all caps away')
    .option('--account <account>', 'refuse unless the key belongs to this account', uuid)
    .action(async (keyId: string, _: unknown, command: Command) => {
      await setCaps(io, keyId, command.optsWithGlobals<SetCapsOptions>());
    });
  keys
    .command('delete')
    .description('delete a key for good; once this returns, no ingress accepts it')
    .argument('<key>', 'id of the key, not the key itself', uuid)
    .option('--account <account>', 'refuse unless the key belongs to this account', uuid)
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<DeleteOptions>();
      const request = { keyId, accountId: options.account ?? '' };
      const { key } = await callAuth(
        { io, options },
        (client) => client.deleteKey.bind(client),
        request,
        CHANGE_DEADLINE_MS,
      );
      if (key === undefined) throw new Error('the auth service answered without a key');
      print(io, options, { json: toJson(key), text: formatFields(fieldsOf(key)) });
    });
}

function withCaps(command: Command): Command {
  return command
    .option('--cap-day <dollars>', 'the most it may spend in a day of UTC; no cap when absent', amountFromZero)
    .option('--cap-month <dollars>', 'the most it may spend in a month of UTC; no cap when absent', amountFromZero)
    .option('--cap-total <dollars>', 'the most it may ever spend; no cap when absent', amountFromZero);
}

async function setCaps(io: Io, keyId: string, options: SetCapsOptions): Promise<void> {
  const caps = capsOf(options);
  if ((caps === undefined) !== (options.none === true)) {
    throw new UsageFailure('name the caps the key is to have, or --none for no caps');
  }
  const request = UpdateKeyRequest.fromPartial({ keyId, accountId: options.account ?? '', caps: caps ?? {} });
  const { key } = await callAuth(
    { io, options },
    (client) => client.updateKey.bind(client),
    request,
    CHANGE_DEADLINE_MS,
  );
  if (key === undefined) throw new Error('the auth service answered without a key');
  print(io, options, { json: toJson(key), text: formatFields(fieldsOf(key)) });
}

function capsOf({ capDay, capMonth, capTotal }: CapOptions): SpendingCaps | undefined {
  if (capDay === undefined && capMonth === undefined && capTotal === undefined) return undefined;
  return { dayNanos: capDay, monthNanos: capMonth, totalNanos: capTotal };
}

function capsText(caps: SpendingCaps | undefined): string {
  const named: [bigint | undefined, string][] = [
    [caps?.dayNanos, 'a day'],
    [caps?.monthNanos, 'a month'],
    [caps?.totalNanos, 'in total'],
  ];
  const texts = named.flatMap(([nanos, name]) => (nanos === undefined ? [] : [`${formatDollars(nanos)} USD ${name}`]));
  return texts.length === 0 ? 'none' : texts.join(', ');
}

function capsJson(caps: SpendingCaps | undefined): Json {
  if (caps === undefined) return null;
  const dollars = (nanos: bigint | undefined) => (nanos === undefined ? null : formatDollars(nanos));
  return {
    day: dollars(caps.dayNanos),
    month: dollars(caps.monthNanos),
    total: dollars(caps.totalNanos),
    currency: 'USD',
  };
}

function fieldsOf(key: ApiKey): [string, string][] {
  return [
    ['id', key.keyId],
    ['name', key.name],
    ['key', `${key.displayPrefix}...${key.lastFour}`],
    ['status', statusName(key)],
    ['created', formatTime(key.createdAtMs)],
    ['expires', formatTime(key.expiresAtMs)],
    ['models', key.allowedModels.length === 0 ? 'all' : key.allowedModels.join(', ')],
    ['caps', capsText(key.caps)],
  ];
}

function toJson(key: ApiKey): { [key: string]: Json } {
  return {
    key_id: key.keyId,
    account_id: key.accountId,
    name: key.name,
    status: statusName(key),
    display_prefix: key.displayPrefix,
    last_four: key.lastFour,
    created_at: jsonTime(key.createdAtMs),
    expires_at: jsonTime(key.expiresAtMs),
    deleted_at: jsonTime(key.deletedAtMs),
    allowed_models: key.allowedModels,
    caps: capsJson(key.caps),
  };
}

function statusName({ status }: ApiKey): string {
  switch (status) {
    case KeyStatus.ACTIVE:
      return 'active';
    case KeyStatus.DELETED:
      return 'deleted';
    case KeyStatus.UNSPECIFIED:
      return 'unknown';
    default:
      status satisfies never;
      return 'unknown';
  }
}
