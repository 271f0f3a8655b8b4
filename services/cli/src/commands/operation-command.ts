import { newId } from '@tollgate/common/ids';
import { Argument, type Command } from 'commander';
import type { ConsoleClient, Parts } from '../api/client.ts';
import { type Field, type Operation, operationOf, type Route } from '../api/operations.ts';
import { renderText } from '../output/render.ts';
import { connect } from '../profiles/connect.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { type Flag, flagsOf, kebab, parserOf } from './flags.ts';
import type { GlobalOptions } from './global-options.ts';

/** A command that calls one operation. Flags, checks and output follow from its description. */
export interface OperationCommand<R extends Route = Route> {
  /** Such as `keys create`. */
  name: string;
  route: R;
  /** Whether the name of its group alone calls it. */
  isDefault?: boolean;
  /** What it does; by default the summary of the operation. */
  description?: string;
  /** Fields of the body that are arguments, after those of the path. */
  args?: readonly string[];
  /** The fields of query and body that it takes; by default all. */
  fields?: readonly string[];
  defaults?: Readonly<Record<string, unknown>>;
  /** Fields of the body that the command itself sets. */
  values?: Readonly<Record<string, unknown>>;
  /** Columns of a list; by default all. */
  columns?: readonly string[];
  /** Instead of the text that shows all there is. */
  text?: (response: never) => string;
  /** Why the command fails although the call succeeded; undefined: it does not. */
  problem?: (response: never) => string | undefined;
  /** Finds an id of the path by what a person calls it. */
  find?: Readonly<Record<string, (client: ConsoleClient, text: string, ids: Ids) => Promise<string>>>;
  /** The operation of one account, with --account. */
  inAccount?: Route;
  timeoutMs?: number;
}

/** Values of a path. */
export type Ids = Readonly<Record<string, string>>;
type Values = Record<string, unknown>;

/** Adds a command below its group. */
export function addOperationCommand(group: Command, io: Io, given: OperationCommand): void {
  const operation = operationOf(given.route);
  const name = given.name.split(' ').at(-1) ?? '';
  const command = group
    .command(name, { isDefault: given.isDefault === true })
    .description(given.description ?? operation.summary);
  const names = [
    ...operation.fields.filter(({ place }) => place === 'path').map(({ name }) => name),
    ...(given.args ?? []),
  ];
  const fieldOf = (name: string) => required(operation.fields.find((field) => field.name === name));
  for (const name of names) command.addArgument(argumentOf(fieldOf(name), given));
  const flags = operation.fields
    .filter(({ name, place }) => place !== 'path' && !names.includes(name) && given.fields?.includes(name) !== false)
    .flatMap((field) => flagsFor(field, operation, given));
  for (const { option } of flags) command.addOption(option);
  if (given.inAccount !== undefined && !flags.some(({ option }) => option.long === '--account'))
    command.option('--account <id>', 'Only this account.');
  command.action(async (...args: unknown[]) => {
    const options = command.optsWithGlobals<GlobalOptions & Values>();
    const client = connect(io, options);
    if (client.isProgram && !operation.programs)
      throw new CommandFailure(
        'only people may do this, and the credential is a management key: run "tollgate login --browser"',
      );
    const values = { ...given.values, ...Object.fromEntries(names.map((name, index) => [name, args[index]])) };
    for (const { option, set } of flags) {
      const value = options[option.attributeName()];
      // An option with `--no-` has the value of the one without.
      if (value !== undefined && (value === false) === option.negate) set(values, value);
    }
    if (command.getOptionValueSource('range') === 'default') completeRange(values, io.now());
    if (options.json === true && isOffered(operation, 'json')) values['format'] ??= 'json';
    if (operation.fields.some(({ name }) => name === 'idempotency_key')) announceKey(io, values);
    const { route, parts } = await requestOf(client, operation, given, values, options);
    if (operation.isExport) {
      await client.download(route, parts, io.writeOut);
      return;
    }
    const response: unknown = await client.call(route, parts, given.timeoutMs);
    const text = given.text?.(response as never) ?? renderText(response, given.columns);
    print(io, options, { json: response, text });
    const problem = given.problem?.(response as never);
    if (problem !== undefined) throw new CommandFailure(problem);
  });
}

function argumentOf(field: Field, { find }: OperationCommand): Argument {
  const isFound = find?.[field.name] !== undefined;
  const name = isFound ? 'email' : kebab(field.name.replace(/_id$/, ''));
  const argument = new Argument(`<${name}>`, isFound ? 'e-mail address, or id' : field.description);
  return isFound ? argument : argument.argParser(parserOf(field));
}

function flagsFor(field: Field, { method }: Operation, { defaults }: OperationCommand): Flag[] {
  const flags = flagsOf(field, { canRemove: method === 'PATCH' });
  const isKey = field.name === 'idempotency_key';
  const fallback = defaults?.[field.name];
  for (const { option } of flags) {
    if (fallback !== undefined) option.default(fallback);
    else if (field.required && !isKey) option.makeOptionMandatory();
  }
  return flags;
}

/** Whether an export may be written in a format. */
function isOffered({ isExport, fields }: Operation, format: string): boolean {
  return isExport && fields.some(({ name, schema }) => name === 'format' && schema.enum?.includes(format) === true);
}

/** A range by its start ends now, unless its end is given; it is no recent one then. */
function completeRange(values: Values, nowMs: number): void {
  if (values['start'] === undefined && values['end'] === undefined) return;
  delete values['range'];
  values['end'] ??= new Date(nowMs).toISOString();
}

/** Shown before the call, so that a call whose response is lost can be repeated safely. */
function announceKey(io: Io, values: Values): void {
  if (values['idempotency_key'] !== undefined) return;
  values['idempotency_key'] = newId();
  io.stderr(`idempotency key: ${String(values['idempotency_key'])}\n`);
}

async function requestOf(
  client: ConsoleClient,
  operation: Operation,
  { find, inAccount }: OperationCommand,
  values: Values,
  options: Values,
): Promise<{ route: Route; parts: Parts<Route> }> {
  const part = (place: Field['place'], of = operation) => {
    const names = of.fields.filter((field) => field.place === place).map(({ name }) => name);
    return Object.fromEntries(
      Object.entries(values).filter(([name, value]) => names.includes(name) && value !== undefined),
    );
  };
  const account = options['account'];
  if (inAccount !== undefined && account !== undefined) {
    const path = { account_id: account };
    return { route: inAccount, parts: { path, query: part('query', operationOf(inAccount)) } as Parts<Route> };
  }
  const path: Record<string, string> = Object.fromEntries(
    Object.entries(part('path')).map(([name, value]) => [name, String(value)]),
  );
  for (const [name, lookUp] of Object.entries(find ?? {})) path[name] = await lookUp(client, path[name] ?? '', path);
  const hasBody = operation.fields.some(({ place }) => place === 'body');
  const parts = { path, query: part('query'), ...(hasBody ? { body: part('body') } : {}) };
  return { route: operation.route, parts: parts as Parts<Route> };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a command names a field that its operation lacks');
  return value;
}
