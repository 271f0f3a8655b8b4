import { formatDollars } from '@tollgate/common/money';
import { CheckOutcome, type ProviderCheck, type TestProviderResponse } from '@tollgate/proto/router';
import type { Command } from 'commander';
import { formatTable } from '../output/table.ts';
import { callRouterWithIngress } from '../services/clients.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface TestOptions extends GlobalOptions {
  model?: string;
  all?: boolean;
}

/** Longer than an ingress may take. */
const TEST_DEADLINE_MS = 115_000;

const COLUMNS = [
  { title: 'CHECK' },
  { title: 'RESULT' },
  { title: 'TIME', align: 'right' as const },
  { title: 'SEEN' },
];

const OUTCOME_NAMES: Readonly<Record<CheckOutcome, string>> = {
  [CheckOutcome.UNSPECIFIED]: 'unknown',
  [CheckOutcome.HOLDS]: 'holds',
  [CheckOutcome.FAILS]: 'fails',
  [CheckOutcome.LACKS]: 'lacks',
  [CheckOutcome.SKIPPED]: 'skipped',
};

export function addProvidersTestCommand(providers: Command, io: Io): void {
  providers
    .command('test')
    .description(
      'send a few short requests to a provider, with the credential of an ingress, and show what holds. The provider bills them; no account is charged',
    )
    .argument('<provider>', 'id of a provider in the catalogue')
    .option(
      '--model <id>',
      'id or alias of the model to call (default: its cheapest that generates text, else for embeddings; disabled ones included)',
    )
    .option('--all', 'check JSON schemas, reasoning and cached tokens too')
    .action(async (providerId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<TestOptions>();
      const request = { providerId, model: options.model ?? '', all: options.all === true };
      const result = await callRouterWithIngress(
        { io, options },
        (client) => client.testProvider.bind(client),
        request,
        () => true,
        TEST_DEADLINE_MS,
      );
      print(io, options, { json: toJson(result), text: toText(result) });
      const failed = result.checks.filter(({ required, outcome }) => required && outcome === CheckOutcome.FAILS);
      if (failed.length > 0) {
        throw new CommandFailure(`${providerId} does not hold: ${failed.map(({ name }) => name).join(', ')}`);
      }
    });
}

function toText(result: TestProviderResponse): string {
  const { modelId, providerId, upstreamModel, deploymentId, ingressName } = result;
  const heading = `${modelId} at ${providerId} (${upstreamModel}, deployment ${deploymentId}), called by ${ingressName}\n\n`;
  const hints = result.checks.filter(({ hint }) => hint !== '').map(({ name, hint }) => `${name}: ${hint}\n`);
  return [
    heading,
    formatTable(COLUMNS, result.checks.map(rowOf), 'Nothing was checked.'),
    ...(hints.length === 0 ? [] : ['\n', ...hints]),
    `\n${result.requests} ${result.requests === 1 ? 'request' : 'requests'}, ${result.inputTokens} input and ${result.outputTokens} output tokens: ${formatDollars(result.costNanos)} USD at the price of the catalogue\n`,
  ].join('');
}

function rowOf({ name, outcome, durationMs, detail }: ProviderCheck): string[] {
  return [name, OUTCOME_NAMES[outcome], durationMs === 0 ? '' : `${durationMs} ms`, detail];
}

function toJson(result: TestProviderResponse) {
  return {
    provider: result.providerId,
    model: result.modelId,
    deployment: result.deploymentId,
    upstream_model: result.upstreamModel,
    ingress: result.ingressName,
    checks: result.checks.map((check) => ({
      name: check.name,
      result: OUTCOME_NAMES[check.outcome],
      required: check.required,
      detail: check.detail,
      hint: check.hint === '' ? null : check.hint,
      http_status: check.httpStatus === 0 ? null : check.httpStatus,
      duration_ms: check.durationMs,
    })),
    requests: result.requests,
    input_tokens: result.inputTokens.toString(),
    output_tokens: result.outputTokens.toString(),
    cost: formatDollars(result.costNanos),
  };
}
