import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, Accounts } from '@tollgate/test-support/gateway/accounts';
import { send } from '@tollgate/test-support/gateway/http';
import { startStack } from '@tollgate/test-support/gateway/stack';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { CLIENTS, type RecordedProvider } from '../providers/recorded.ts';
import { type PlayedEndpoint, type RecordedUpstream, startRecordedUpstream } from './recorded-upstream.ts';
import { type ProviderEntry, StarterCatalogue, type StarterModel } from './starter-catalogue.ts';

/** A gateway in front of the recorded providers, with the entries of their starter catalogues. */
export interface RecordedGateway {
  baseUrl: string;
  account: Account;
  upstream: RecordedUpstream;
  /** The model of each provider that is called. */
  models: ReadonlyMap<string, StarterModel>;
  /** The billing record of a request. */
  record: (requestId: string) => Promise<unknown>;
  stop: () => Promise<void>;
}

/** The model that reaches one endpoint. */
export function modelAt(entry: string): string {
  return `at-${entry}`;
}

/** The model for an error of an endpoint that a client of this protocol gets, so that none leaves rotation. */
export function failingModel(entry: string, error: string, client: string): string {
  return `failing/${entry}/${error.replaceAll(' ', '_')}/${client}`;
}

/** Starts it. */
export async function startRecordedGateway(providers: readonly RecordedProvider[]): Promise<RecordedGateway> {
  const upstream = await startRecordedUpstream();
  const folder = makeTemporaryFolder();
  const cleanUp = async () => {
    await upstream.stop();
    folder.remove();
  };
  const called = new Map<string, StarterModel>();
  const secrets = new Map<string, string>();
  const played: PlayedEndpoint[] = [];
  const entries: object[] = [];
  const models: object[] = [];
  for (const provider of providers) {
    const starter = new StarterCatalogue(provider.id);
    const model = starter.model(provider);
    called.set(provider.id, model);
    for (const recorded of provider.endpoints) {
      const { entry, deployment } = starter.deployed(recorded);
      const basePath = `/${entry.id}${new URL(entry.base_url).pathname}`.replace(/\/$/, '');
      entries.push({ ...entry, base_url: `${upstream.url}${basePath}`, timeouts: PATIENCE });
      played.push({ recorded, protocol: entry.protocol, basePath, credential: credentialOf(entry, secrets) });
      const { protocols: _, ...rest } = deployment;
      const failing = [...recorded.errors.map(({ name }) => name), ...(recorded.brokenStream ? ['broken stream'] : [])];
      const names = failing.flatMap((error) => CLIENTS.map((client) => failingModel(entry.id, error, client)));
      for (const name of [modelAt(entry.id), ...names]) {
        const upstreamName = deployment.model ?? model.id;
        models.push({
          ...model,
          id: name,
          aliases: [],
          deployments: [{ ...rest, provider: entry.id, model: upstreamName }],
        });
      }
    }
  }
  upstream.play(played);
  const catalogue = join(folder.path, 'catalogue.json');
  writeFileSync(catalogue, JSON.stringify({ version: 1, providers: entries, models }));
  const stack = await startStack({
    data: join(folder.path, 'data'),
    catalogue,
    quiet: true,
    env: { ...Object.fromEntries(secrets), BILLING_REQUESTS_PER_MINUTE: '60000' },
  }).catch(async (error: unknown) => {
    await cleanUp();
    throw error;
  });
  const { base_url: baseUrl, grpc } = stack.facts;
  const accounts = new Accounts({ auth: grpc.auth, ledger: grpc.ledger });
  const account = await accounts.create(BALANCE_NANOS);
  const headers = { authorization: `Bearer ${account.key}` };
  return {
    baseUrl,
    account,
    upstream,
    models: called,
    record: async (requestId) => (await send(baseUrl, { path: `/v1/billing/requests/${requestId}`, headers })).json,
    stop: async () => {
      accounts.close();
      await stack.stop();
      await cleanUp();
    },
  };
}

const BALANCE_NANOS = 1_000_000_000_000n;
const PATIENCE = { connect_ms: 2_000, first_byte_ms: 60_000, idle_ms: 60_000, total_ms: 600_000 };

/** The header that the provider gets. Adds the variable with its secret. */
function credentialOf({ id, auth, api_key: key }: ProviderEntry, secrets: Map<string, string>): [string, string] {
  if (auth === 'none') return ['', ''];
  if (key === undefined) throw new Error(`${id} has no api_key`);
  const secret = `${key.env.toLowerCase().replaceAll('_', '-')}-for-tests`;
  secrets.set(key.env, secret);
  return auth === 'bearer' ? ['authorization', `Bearer ${secret}`] : [auth, secret];
}
