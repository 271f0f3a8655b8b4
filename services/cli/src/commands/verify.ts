import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { newId } from '@tollgate/common/ids';
import { parseDollars } from '@tollgate/common/money';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { duration, integer } from '../terminal/arguments.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { Bill } from '../verify/billed.ts';
import { runChallenge } from '../verify/challenge.ts';
import { failureOf, toJson, toText } from '../verify/report.ts';
import { PROTOCOLS, type Protocol } from '../verify/requests.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../verify/scripted-upstream.ts';
import type { GlobalOptions } from './global-options.ts';

interface VerifyOptions extends GlobalOptions {
  baseUrl: string;
  key: string;
  model: string;
  limit: bigint;
  protocol: Protocol;
  clients: number;
  maxTokens: number;
  time: number;
  upstream?: Address;
  inputPrice: bigint;
  outputPrice: bigint;
  delete?: string;
}

interface Address {
  host: string;
  port: number;
}

/** How long the command that deletes the key may take. */
const DELETION_TIMEOUT_MS = 60_000;

export function addVerifyCommand(program: Command, io: Io): void {
  program
    .command('verify')
    .description(
      'challenge any gateway to overspend: many clients at once spend a low limit; exits with status 1 if it overshoots',
    )
    .requiredOption('--base-url <url>', 'the gateway')
    .requiredOption('--key <key>', 'a key that may spend no more than the limit')
    .requiredOption('--model <model>', 'the model to ask for')
    .requiredOption('--limit <dollars>', 'what is left to spend by the key', dollars)
    .addOption(
      new Option('--protocol <protocol>', 'the protocol to use').choices([...PROTOCOLS]).default('openai-chat'),
    )
    .option('--clients <count>', 'requests at once', integer(1, 1_000), 100)
    .option('--max-tokens <count>', 'the output that each request asks for', integer(1, 100_000), 500)
    .option('--time <duration>', 'no request begins later than this', duration, 60)
    .option('--upstream <address>', 'serve the model here, such as 127.0.0.1:9190, and count what that costs', address)
    .addOption(priceOption('--input-price <dollars>', '1'))
    .addOption(priceOption('--output-price <dollars>', '10'))
    .option('--delete <command>', 'a shell command that deletes the key, run after the first responses')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<VerifyOptions>();
      const upstream = await startUpstream(options);
      try {
        await verify(io, options, upstream);
      } finally {
        await upstream?.close();
      }
    });
}

function priceOption(flags: string, defaultDollars: string): Option {
  const option = new Option(flags, 'of a million tokens at that upstream').argParser(dollars);
  return option.default(dollars(defaultDollars), defaultDollars);
}

async function startUpstream(options: VerifyOptions): Promise<ScriptedUpstream | undefined> {
  if (options.upstream === undefined) return undefined;
  return startScriptedUpstream(options.upstream, {
    inputNanosPerMillion: options.inputPrice,
    outputNanosPerMillion: options.outputPrice,
  });
}

async function verify(io: Io, options: VerifyOptions, upstream: ScriptedUpstream | undefined): Promise<void> {
  const { delete: deletion } = options;
  const session = `verify-${newId()}`;
  const bill = await Bill.begin(options, session, io.now());
  const tally = await runChallenge({
    target: options,
    clients: options.clients,
    maxMs: options.time * 1_000,
    session,
    deleteKey: deletion === undefined ? undefined : () => runDeletion(deletion),
  });
  const finding = {
    limitNanos: options.limit,
    tally,
    // A deleted key reads no bill.
    billed: deletion === undefined ? await bill.read() : undefined,
    servedNanos: upstream?.servedNanos(),
    deleted: deletion !== undefined,
  };
  print(io, options, { json: toJson(finding), text: toText(finding) });
  const failure = failureOf(finding);
  if (failure !== undefined) throw new CommandFailure(failure);
}

async function runDeletion(command: string): Promise<void> {
  try {
    await promisify(exec)(command, { timeout: DELETION_TIMEOUT_MS });
  } catch {
    // Its output may have the key.
    throw new CommandFailure('the command of --delete failed');
  }
}

function dollars(text: string): bigint {
  const nanos = parseDollars(text);
  if (nanos === undefined || nanos <= 0n) {
    throw new InvalidArgumentError('It must be a positive decimal number of dollars with at most nine decimals.');
  }
  return nanos;
}

function address(text: string): Address {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) throw new InvalidArgumentError('It must be an address and a port.');
  return { host: match[1], port };
}
