import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recorder } from '@tollgate/simulator/exchange/recorder';
import { startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { type Account, Accounts } from '@tollgate/test-support/gateway/accounts';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { type Stack, startStack } from '@tollgate/test-support/gateway/stack';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import type { ProtocolName } from '../scenario.ts';
import { sdkCatalogue } from './catalogue.ts';

/** The gateway's credential at the provider. */
export const PROVIDER_KEY = 'provider-key-for-tests';
const BALANCE_NANOS = 1_000_000_000_000n;

/** A running gateway whose models all use one provider. */
export interface SdkGateway {
  baseUrl: string;
  account: Account;
  accounts: Accounts;
  stack: Stack;
  /** The billing record of a request. */
  record: (requestId: string) => Promise<WireResponse>;
  stop: () => Promise<void>;
}

export interface SdkGatewayOptions {
  providerUrl: string;
  /** Number of models for failing calls; 0 by default. */
  fragile?: number;
  /** The provider's name of the model for each protocol. */
  names?: Readonly<Record<ProtocolName, string>>;
}

export function startSdkGateway({ providerUrl, fragile = 0, names }: SdkGatewayOptions): Promise<SdkGateway> {
  return startGatewayWith(sdkCatalogue({ providerUrl, fragile, names }));
}

/** @param content of the catalogue file; its credentials are in TEST_PROVIDER_KEY */
export async function startGatewayWith(content: string): Promise<SdkGateway> {
  const folder = makeTemporaryFolder();
  const catalogue = join(folder.path, 'catalogue.json');
  writeFileSync(catalogue, content);
  const stack = await startStack({
    data: join(folder.path, 'data'),
    catalogue,
    quiet: true,
    env: {
      TEST_PROVIDER_KEY: PROVIDER_KEY,
      // Tests look up the record of every response.
      BILLING_REQUESTS_PER_MINUTE: '60000',
    },
  }).catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  const { base_url: baseUrl, grpc } = stack.facts;
  const accounts = new Accounts({ auth: grpc.auth, ledger: grpc.ledger });
  const account = await accounts.create(BALANCE_NANOS);
  const headers = { authorization: `Bearer ${account.key}` };
  return {
    baseUrl,
    account,
    accounts,
    stack,
    record: (requestId) => send(baseUrl, { path: `/v1/billing/requests/${requestId}`, headers }),
    stop: async () => {
      accounts.close();
      await stack.stop();
      folder.remove();
    },
  };
}

/** A gateway whose provider is the simulated one. */
export interface SimulatedGateway extends SdkGateway {
  /** The calls that the provider received. */
  recorder: Recorder;
}

export async function startSimulatedGateway(
  options: Pick<SdkGatewayOptions, 'fragile'> = {},
): Promise<SimulatedGateway> {
  const simulator = await startSimulator({
    host: '127.0.0.1',
    port: 0,
    apiKey: PROVIDER_KEY,
    onError: (error) => process.stderr.write(`simulator: ${String(error)}\n`),
  });
  try {
    const gateway = await startSdkGateway({ providerUrl: simulator.url, ...options });
    return {
      ...gateway,
      recorder: simulator.recorder,
      stop: async () => {
        await gateway.stop();
        await simulator.stop(0);
      },
    };
  } catch (error) {
    await simulator.stop(0);
    throw error;
  }
}
