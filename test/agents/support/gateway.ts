import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallRecord } from '@tollgate/simulator/exchange/recorder';
import { type Simulator, type SimulatorOptions, startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { Accounts } from '@tollgate/test-support/gateway/accounts';
import { type Stack, startStack } from '@tollgate/test-support/gateway/stack';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { agentsCatalogue } from './catalogue.ts';

const PROVIDER_KEY = 'provider-key-for-tests';
/** Requests of agents have some hundred kilobytes, mostly tools and instructions. */
const MAX_KEPT_BODY = 4_000_000;

/** A running gateway with the simulated provider behind it, reached through all four protocols. */
export interface AgentsGateway {
  stack: Stack;
  baseUrl: string;
  key: string;
  accounts: Accounts;
  /** The provider's calls after the given number of calls. */
  callsAfter: (sequence: number) => CallRecord[];
  /** Number of the provider's calls so far. */
  callCount: () => number;
  stop: () => Promise<void>;
}

/** Settings of the simulated provider. */
export type ProviderOptions = Pick<SimulatorOptions, 'contextWindow' | 'promptCache'>;

export async function startAgentsGateway(provider: ProviderOptions = {}): Promise<AgentsGateway> {
  const folder = makeTemporaryFolder();
  const errors: unknown[] = [];
  const simulator = await startSimulator({
    host: '127.0.0.1',
    port: 0,
    apiKey: PROVIDER_KEY,
    maxKeptBody: MAX_KEPT_BODY,
    ...provider,
    onError: (error) => errors.push(error),
  });
  try {
    const { stack, accounts } = await startGateway(folder.path, simulator);
    const { key } = await accounts.create(1_000_000_000_000n);
    return {
      stack,
      baseUrl: stack.facts.base_url,
      key,
      accounts,
      callsAfter: (sequence) => simulator.recorder.list().filter((call) => call.sequence > sequence),
      callCount: () => simulator.recorder.stats.calls,
      stop: async () => {
        accounts.close();
        await stack.stop();
        await simulator.stop(1_000);
        folder.remove();
        if (errors.length > 0) throw new AggregateError(errors, 'the simulated provider failed');
      },
    };
  } catch (error) {
    await simulator.stop(1_000);
    folder.remove();
    throw error;
  }
}

async function startGateway(folder: string, simulator: Simulator): Promise<{ stack: Stack; accounts: Accounts }> {
  const catalogue = join(folder, 'catalogue.json');
  writeFileSync(catalogue, agentsCatalogue(simulator.url));
  const stack = await startStack({
    data: join(folder, 'data'),
    catalogue,
    console: {},
    quiet: true,
    env: { TEST_PROVIDER_KEY: PROVIDER_KEY },
  });
  const { auth, ledger } = stack.facts.grpc;
  return { stack, accounts: new Accounts({ auth, ledger }) };
}
