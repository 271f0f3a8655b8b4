import { CHARGE_STATUS_NAMES, type ChargeStatusName, chargeStatusOf } from '@tollgate/common/billing/charge';
import { type Charge, ChargeStatus } from '@tollgate/proto/ledger';
import { type Command, Option } from 'commander';
import { chargeFields, chargeJson, chargeRow } from '../output/charge.ts';
import { formatTable } from '../output/table.ts';
import { callLedger } from '../services/clients.ts';
import { moreLine, readPages } from '../services/pages.ts';
import { tag, traceId, uuid } from '../terminal/arguments.ts';
import { UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { type RangeDefaults, type RangeOptions, rangeOf, withRange } from './range-options.ts';

const RANGE: RangeDefaults = { items: 'requests', days: 1, limit: 100 };

interface GetOptions extends GlobalOptions {
  trace?: string;
}

interface ListOptions extends GlobalOptions, RangeOptions {
  model?: string;
  key?: string;
  status?: ChargeStatusName;
  tag?: Record<string, string>;
  session?: string;
}

export function addRequestCommands(program: Command, io: Io): void {
  const requests = program.command('requests').description('show requests and what they cost');
  requests
    .command('get')
    .description('show one request, by its id or by its trace id')
    .argument('<account>', 'id of the account', uuid)
    .argument('[request]', 'id of the request (x-request-id)', uuid)
    .option('--trace <id>', 'trace id (x-trace-id) instead of the request id', traceId)
    .action(async (accountId: string, requestId: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GetOptions>();
      const request = { accountId, by: lookupOf(requestId, options.trace), waitMs: 0 };
      const charge = await callLedger({ io, options }, (client) => client.getCharge.bind(client), request);
      print(io, options, { json: chargeJson(charge), text: chargeFields(charge) });
    });
  const list = requests
    .command('list')
    .description('list requests, newest first')
    .argument('<account>', 'id of the account', uuid)
    .option('--model <id>', 'only requests of this model')
    .option('--key <id>', 'only requests of this key', uuid)
    .addOption(new Option('--status <status>', 'only requests with this status').choices(CHARGE_STATUS_NAMES))
    .option('--tag <name=value>', 'only requests with this tag', (text: string) => tag(text))
    .option('--session <id>', "only requests of this client's session");
  withRange(list, RANGE).action(async (accountId: string, _: unknown, command: Command) => {
    await listRequests(io, accountId, command.optsWithGlobals<ListOptions>());
  });
}

function lookupOf(requestId: string | undefined, trace: string | undefined) {
  if (requestId !== undefined && trace === undefined) return { $case: 'requestId' as const, value: requestId };
  if (requestId === undefined && trace !== undefined) return { $case: 'traceId' as const, value: trace };
  throw new UsageFailure('give either the id of the request or --trace');
}

async function listRequests(io: Io, accountId: string, options: ListOptions): Promise<void> {
  const range = rangeOf(options, RANGE, io);
  const [tagName, tagValue] = Object.entries(options.tag ?? {})[0] ?? ['', ''];
  const { items, more } = await readPages<Charge>(options.limit, async (limit, cursor) => {
    const request = {
      accountId,
      ...range,
      limit,
      cursor,
      model: options.model ?? '',
      keyId: options.key ?? '',
      status: options.status === undefined ? ChargeStatus.UNSPECIFIED : chargeStatusOf(options.status),
      tagName,
      tagValue,
      clientSessionId: options.session ?? '',
    };
    const page = await callLedger({ io, options }, (client) => client.listCharges.bind(client), request);
    return { items: page.charges, next: page.nextCursor };
  });
  const columns = [
    { title: 'REQUEST' },
    { title: 'STARTED' },
    { title: 'MODEL' },
    { title: 'KEY' },
    { title: 'STATUS' },
    { title: 'COST (USD)', align: 'right' as const },
  ];
  const text = formatTable(columns, items.map(chargeRow), 'There are no requests in this time.') + moreLine(more);
  print(io, options, { json: { requests: items.map(chargeJson), more }, text });
}
