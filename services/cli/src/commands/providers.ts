import { PROTOCOL_NAMES } from '@tollgate/common/catalogue-names';
import { CredentialState, type ProviderStatus } from '@tollgate/proto/router';
import type { Command } from 'commander';
import { formatTable } from '../output/table.ts';
import { callRouterWithIngress } from '../services/clients.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { addProvidersTestCommand } from './providers-test.ts';

const COLUMNS = [
  { title: 'PROVIDER' },
  { title: 'PROTOCOL' },
  { title: 'DIALECT' },
  { title: 'BASE URL' },
  { title: 'MODELS', align: 'right' as const },
  { title: 'CREDENTIAL' },
  { title: 'HEALTH' },
];

export function addProviderCommands(program: Command, io: Io): void {
  const providers = program
    .command('providers')
    .description('list the providers of the catalogue: address, models, whether an ingress has the credential, health')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { providers } = await callRouterWithIngress(
        { io, options },
        (client) => client.listProviders.bind(client),
        {},
        ({ providers: found }) => found.some(({ credential }) => credential !== CredentialState.UNKNOWN),
      );
      print(io, options, {
        json: { providers: providers.map(toJson) },
        text: formatTable(COLUMNS, providers.map(rowOf), 'The catalogue has no providers.'),
      });
    });
  addProvidersTestCommand(providers, io);
}

function rowOf(provider: ProviderStatus): string[] {
  const { providerId, protocol, dialect, baseUrl, models, simulated } = provider;
  return [
    simulated ? `${providerId} (simulated)` : providerId,
    PROTOCOL_NAMES[protocol],
    dialect === '' ? 'none' : dialect,
    baseUrl,
    String(models),
    credentialText(provider),
    healthText(provider),
  ];
}

function credentialText({ credential, credentialDetail }: ProviderStatus): string {
  const name = CREDENTIAL_NAMES[credential].replaceAll('_', ' ');
  return credentialDetail === '' ? name : `${name}: ${credentialDetail}`;
}

function healthText({ deployments, deploymentsInRotation }: ProviderStatus): string {
  if (deployments === 0) return 'no deployment';
  if (deployments === deploymentsInRotation) return 'in rotation';
  return `${deploymentsInRotation} of ${deployments} in rotation`;
}

const CREDENTIAL_NAMES: Readonly<Record<CredentialState, string>> = {
  [CredentialState.UNSPECIFIED]: 'unknown',
  [CredentialState.UNKNOWN]: 'unknown',
  [CredentialState.PRESENT]: 'present',
  [CredentialState.MISSING]: 'missing',
  [CredentialState.NOT_NEEDED]: 'not_needed',
};

function toJson(provider: ProviderStatus) {
  return {
    id: provider.providerId,
    protocol: PROTOCOL_NAMES[provider.protocol],
    dialect: provider.dialect === '' ? null : provider.dialect,
    base_url: provider.baseUrl,
    simulated: provider.simulated,
    models: provider.models,
    credential: CREDENTIAL_NAMES[provider.credential],
    credential_problem: provider.credentialDetail === '' ? null : provider.credentialDetail,
    deployments: provider.deployments,
    deployments_in_rotation: provider.deploymentsInRotation,
  };
}
