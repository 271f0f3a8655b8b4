import { newId } from '@tollgate/common/ids';
import { type ApiKey, CreateKeyRequest, UpdateKeyRequest } from '@tollgate/proto/auth';
import { type Command, Option } from 'commander';
import { keyFields, keyJson } from '../output/key.ts';
import { formatFields, formatTable } from '../output/table.ts';
import { CHANGE_DEADLINE_MS, callAuth } from '../services/clients.ts';
import { moreLine, readPages } from '../services/pages.ts';
import { collect, count, duration, time, uuid } from '../terminal/arguments.ts';
import { CommandFailure, UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import {
  type CapOptions,
  capsOf,
  type LimitOptions,
  limitsOf,
  newValue,
  type TagOptions,
  withCaps,
  withLimits,
  withTags,
} from './attribute-options.ts';
import type { GlobalOptions } from './global-options.ts';

interface CreateOptions extends GlobalOptions, CapOptions, LimitOptions, TagOptions {
  name: string;
  expires?: number;
  model: string[];
}

interface ListOptions extends GlobalOptions {
  limit: number;
}

/** Options of commands on a key: its account, to check that the key belongs to it. */
interface KeyOptions extends GlobalOptions {
  account?: string;
}

interface SetCapsOptions extends KeyOptions, CapOptions {
  none?: boolean;
}

interface UpdateOptions extends KeyOptions, CapOptions, LimitOptions, TagOptions {
  name?: string;
  expires?: number;
  neverExpires?: boolean;
  model?: string[];
  allModels?: boolean;
  withoutCaps?: boolean;
  withoutLimits?: boolean;
  withoutTags?: boolean;
}

interface RotateOptions extends KeyOptions {
  overlap: number;
  idempotencyKey?: string;
}

export function addKeyCommands(program: Command, io: Io): void {
  const keys = program.command('keys').description('create, show, change, rotate and delete API keys');
  addCreate(keys, io);
  addList(keys, io);
  addUpdate(keys, io);
  const setCaps = ofKey(keys, 'set-caps', 'replace all spending caps of a key');
  withCaps(setCaps)
    .option('--none', 'remove all caps')
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetCapsOptions>();
      const caps = capsOf(options);
      if ((caps === undefined) !== (options.none === true)) {
        throw new UsageFailure('give the new caps of the key, or --none for no caps');
      }
      await update(io, options, { keyId, caps: caps ?? {} });
    });
  addRotate(keys, io);
  ofKey(keys, 'delete', 'delete a key for good; once this returns, no ingress accepts it').action(
    async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<KeyOptions>();
      const request = { keyId, accountId: options.account ?? '' };
      const caller = { io, options };
      const { key } = await callAuth(caller, (client) => client.deleteKey.bind(client), request, CHANGE_DEADLINE_MS);
      printKey(io, options, key);
    },
  );
}

function addCreate(keys: Command, io: Io): void {
  const create = keys
    .command('create')
    .description('create a key; it is shown only once')
    .argument('<account>', 'id of the account', uuid)
    .option('--name <name>', 'name of the key', 'key')
    .option('--expires <time>', 'when the key expires; default: never', time)
    .addOption(
      new Option('--model <id>', 'a model the key may call; repeatable').argParser(collect).default([], 'all'),
    );
  withTags(withLimits(withCaps(create))).action(async (accountId: string, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<CreateOptions>();
    const request = CreateKeyRequest.fromPartial({
      accountId,
      name: options.name,
      expiresAtMs: BigInt(options.expires ?? 0),
      allowedModels: options.model,
      caps: capsOf(options),
      limits: limitsOf(options),
      tags: options.tag ?? {},
    });
    const made = await callAuth({ io, options }, (client) => client.createKey.bind(client), request);
    printSecret(io, options, made);
  });
}

function addList(keys: Command, io: Io): void {
  keys
    .command('list')
    .description('list the keys of an account, newest first, including deleted ones')
    .argument('<account>', 'id of the account', uuid)
    .option('--limit <count>', 'maximum number of keys', count, 1_000)
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const { items, more } = await readPages(options.limit, async (pageSize, pageToken) => {
        const request = { accountId, pageSize, pageToken };
        const page = await callAuth({ io, options }, (client) => client.listKeys.bind(client), request);
        return { items: page.keys, next: page.nextPageToken };
      });
      const columns = (items[0] === undefined ? [] : keyFields(items[0])).map(([name]) => ({
        title: name.toUpperCase(),
      }));
      const rows = items.map((key) => keyFields(key).map(([, value]) => value));
      const text = formatTable(columns, rows, 'The account has no keys yet.') + moreLine(more);
      print(io, options, { json: { keys: items.map(keyJson), more }, text });
    });
}

function addUpdate(keys: Command, io: Io): void {
  const change = ofKey(
    keys,
    'update',
    'change the given attributes of a key; caps, limits and tags are each replaced as a set',
  )
    .option('--name <name>', 'new name')
    .option('--expires <time>', 'when the key expires', time)
    .option('--never-expires', 'remove the expiry')
    .option('--model <id>', 'a model the key may call; repeatable', (text: string, before?: string[]) =>
      collect(text, before ?? []),
    )
    .option('--all-models', 'allow all models');
  withTags(withLimits(withCaps(change)))
    .option('--without-caps', 'remove all caps')
    .option('--without-limits', 'remove all limits')
    .option('--without-tags', 'remove all tags')
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<UpdateOptions>();
      const models = newValue(options.model, ['--all-models', options.allModels === true], []);
      const tags = newValue(options.tag, ['--without-tags', options.withoutTags === true], {});
      const expires = newValue(options.expires, ['--never-expires', options.neverExpires === true], 0);
      await update(io, options, {
        keyId,
        name: options.name,
        expiresAtMs: expires === undefined ? undefined : BigInt(expires),
        allowedModels: models === undefined ? undefined : { ids: models },
        caps: newValue(capsOf(options), ['--without-caps', options.withoutCaps === true], {}),
        limits: newValue(limitsOf(options), ['--without-limits', options.withoutLimits === true], {}),
        tags: tags === undefined ? undefined : { tags },
      });
    });
}

function addRotate(keys: Command, io: Io): void {
  ofKey(keys, 'rotate', 'give a key a new value; it is shown only once')
    .option(
      '--overlap <duration>',
      'how long the previous value stays valid, such as 12h or 7d; at most 30d',
      duration,
      0,
    )
    .option('--idempotency-key <key>', 'repeats the rotation that was called with this key and whose response was lost')
    .action(async (keyId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<RotateOptions>();
      const idempotencyKey = options.idempotencyKey ?? newId();
      const overlapMs = BigInt(options.overlap);
      const request = { keyId, accountId: options.account ?? '', overlapMs, idempotencyKey };
      const caller = { io, options };
      const made = await callAuth(caller, (client) => client.rotateKey.bind(client), request, CHANGE_DEADLINE_MS).catch(
        (error: unknown) => {
          if (!(error instanceof CommandFailure)) throw error;
          throw new CommandFailure(`${error.message} (to call again, add --idempotency-key ${idempotencyKey})`, {
            cause: error,
          });
        },
      );
      printSecret(io, options, made);
    });
}

function ofKey(keys: Command, name: string, description: string): Command {
  return keys
    .command(name)
    .description(description)
    .argument('<key>', 'id of the key, not the key itself', uuid)
    .option('--account <account>', 'refuse unless the key belongs to this account', uuid);
}

async function update(
  io: Io,
  options: KeyOptions,
  fields: Parameters<typeof UpdateKeyRequest.fromPartial>[0],
): Promise<void> {
  const request = UpdateKeyRequest.fromPartial({ ...fields, accountId: options.account ?? '' });
  const caller = { io, options };
  const { key } = await callAuth(caller, (client) => client.updateKey.bind(client), request, CHANGE_DEADLINE_MS);
  printKey(io, options, key);
}

function printKey(io: Io, options: GlobalOptions, key: ApiKey | undefined): void {
  if (key === undefined) throw new Error('the auth service responded without a key');
  print(io, options, { json: keyJson(key), text: formatFields(keyFields(key)) });
}

function printSecret(io: Io, options: GlobalOptions, made: { key: ApiKey | undefined; secret: string }): void {
  const { key, secret } = made;
  if (key === undefined) throw new Error('the auth service responded without a key');
  const text = `${formatFields(keyFields(key))}\n${secret}\n\nSave it now: it is not stored and cannot be shown again.\n`;
  print(io, options, { json: { ...keyJson(key), secret }, text });
}
