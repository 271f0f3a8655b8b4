import { randomBytes } from 'node:crypto';
import { isSigned, WebhookReceiver } from '@tollgate/ledger/testing/webhook-receiver';
import { type Simulator, startSimulator } from '@tollgate/simulator/testing/start-simulator';
import { type Account, Accounts } from '@tollgate/test-support/gateway/accounts';
import { textAt } from '@tollgate/test-support/gateway/json';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { certifiedAs } from '../support/certificates.ts';
import { apply, hostAddress } from '../support/cluster.ts';
import { openTo } from '../support/connections.ts';
import { forward } from '../support/forward.ts';
import { Release, SERVICES } from '../support/release.ts';
import { type Stores, startStores } from '../support/stores.ts';

const PROVIDER_KEY = 'sk-of-the-provider';
const WEBHOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const MODELS = ['key-from-file', 'key-from-env'];
/** The services with their own login of Postgres. */
const LOGINS = ['auth', 'console', 'ledger'];

const release = new Release({ namespace: 'tollgate-production', nodePort: 30_082 });
let host: string;
let stores: Stores;
let provider: Simulator;
let webhooks: WebhookReceiver;
let accountId: string;
let client: OpenAI;

/** An account with credit and a key, as the first operator makes it. */
async function createAccount(): Promise<Account> {
  const [auth, ledger] = [
    await forward(release.namespace, `service/${release.named('auth')}`, 50_051),
    await forward(release.namespace, `service/${release.named('ledger')}`, 50_051),
  ];
  const tls = await certifiedAs('console', release);
  const accounts = new Accounts({ auth: auth.address, ledger: ledger.address }, tls);
  try {
    return await accounts.create(10_000_000_000n);
  } finally {
    accounts.close();
    for (const each of [auth, ledger]) each.stop();
  }
}

function secret(name: string, stringData: Record<string, string>): Promise<string> {
  return apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: release.namespace }, stringData });
}

function configMap(name: string, data: Record<string, string>): Promise<string> {
  return apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: release.namespace }, data });
}

/** Two models of one provider, with the key from a file and from the environment. */
function catalogue(baseUrl: string): string {
  const common = { protocol: 'openai-responses', base_url: baseUrl, simulated: true, auth: 'bearer' };
  const model = { owned_by: 'tests', created: '2025-01-01', context_window: 8_000, max_output_tokens: 1_000 };
  const counted = { tokens_per_message: 4, tokens_per_request: 3, price: { input: '100', output: '500' } };
  return JSON.stringify({
    version: 1,
    providers: [
      { id: 'by-file', ...common, api_key: { file: '/etc/tollgate/providers/simulated' } },
      { id: 'by-env', ...common, api_key: { env: 'SIMULATED_KEY' } },
    ],
    models: [
      { id: 'key-from-file', ...model, ...counted, deployments: [{ provider: 'by-file' }] },
      { id: 'key-from-env', ...model, ...counted, deployments: [{ provider: 'by-env' }] },
    ],
  });
}

beforeAll(async () => {
  host = await hostAddress();
  stores = await startStores();
  provider = await startSimulator({ host: '0.0.0.0', port: 0, apiKey: PROVIDER_KEY, onError: () => undefined });
  webhooks = await WebhookReceiver.start(0, '0.0.0.0');
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: release.namespace, labels } });
  await Promise.all([
    secret('our-postgres', { url: stores.postgresUrl('tollgate') }),
    ...LOGINS.map((login) => secret(`our-postgres-${login}`, { url: stores.postgresUrl(`tollgate_${login}`) })),
    secret('our-redis', { url: stores.redisUrl }),
    secret('our-items', { key: randomBytes(32).toString('base64') }),
    secret('our-webhook', { secret: WEBHOOK_SECRET }),
    secret('our-provider-files', { simulated: PROVIDER_KEY }),
    secret('our-provider', { key: PROVIDER_KEY }),
    configMap('our-authority', { 'ca.crt': stores.authority }),
    configMap('our-catalogue', { 'catalogue.yaml': catalogue(`http://${host}:${provider.port}/v1`) }),
  ]);
  const hostAlone = [{ ipBlock: { cidr: `${host}/32` } }];
  const storesAlone = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stores.namespace } } }];
  const small = { resources: { requests: { cpu: '20m', memory: '128Mi' } } };
  await release.install({
    evaluation: { enabled: false },
    postgres: {
      existingSecret: 'our-postgres',
      logins: Object.fromEntries(LOGINS.map((login) => [login, { existingSecret: `our-postgres-${login}` }])),
    },
    redis: { existingSecret: 'our-redis' },
    caBundle: { existingConfigMap: 'our-authority' },
    catalogue: { existingConfigMap: 'our-catalogue' },
    providers: {
      filesSecret: 'our-provider-files',
      env: { SIMULATED_KEY: { existingSecret: 'our-provider', secretKey: 'key' } },
    },
    ingress: {
      ...small,
      rechargeUrl: 'https://pay.example.com/top-up',
      itemStore: { existingSecret: 'our-items' },
      journal: { persistence: { enabled: true, size: '64Mi' }, maxBytes: 33_554_432 },
      terminationGracePeriodSeconds: 40,
    },
    auth: small,
    ledger: {
      ...small,
      lowBalanceThresholds: '9.999',
      webhook: { url: `http://${host}:${webhooks.port}/hook`, existingSecret: 'our-webhook' },
    },
    router: small,
    console: { ...small, url: 'https://console.example.com', firstOperator: { email: 'operator@example.com' } },
    tests: { model: 'key-from-file', existingSecret: 'key-of-tests' },
    networkPolicy: {
      postgres: { to: storesAlone },
      redis: { to: storesAlone },
      providers: { to: hostAlone, ports: [provider.port] },
      webhook: { to: hostAlone, ports: [webhooks.port] },
    },
  });
  const account = await createAccount();
  const { key } = account;
  ({ accountId } = account);
  await secret('key-of-tests', { key });
  client = new OpenAI({ apiKey: key, baseURL: `${release.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  await release.remove();
  await stores?.remove();
  await webhooks?.stop();
  await provider?.stop(0);
});

it.each(MODELS)('calls the provider of %s', async (model) => {
  const { data, response } = await client.responses.create({ model, input: 'Hello' }).withResponse();
  expect(data.output_text).not.toBe('');
  const looked = await client.get<unknown>(`/billing/requests/${response.headers.get('x-request-id')}`);
  expect(looked).toMatchObject({ model, status: 'completed' });
});

it('finds an item of an earlier response', async () => {
  const model = 'key-from-file';
  const first = await client.responses.create({ model, input: 'Hello' });
  const id = first.output[0]?.id ?? '';
  const second = await client.responses.create({
    model,
    input: [
      { type: 'item_reference', id },
      { role: 'user', content: 'And then?' },
    ],
  });
  expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0);
});

it('sends a signed event for a low balance', async () => {
  await vi.waitFor(() => expect(webhooks.received).toHaveLength(1), { timeout: 20_000, interval: 100 });
  const [webhook] = webhooks.received;
  expect(webhook && isSigned(webhook, WEBHOOK_SECRET)).toBe(true);
  const data = { account_id: accountId, threshold: '9.999' };
  expect(JSON.parse(webhook?.body ?? '')).toMatchObject({ type: 'balance.low', data });
});

it('passes helm test with its own key', async () => {
  const balance = async () => Number(textAt(await client.get<unknown>('/billing/balance'), 'balance'));
  const before = await balance();
  expect(await release.helm('test', '--timeout', '2m')).toMatch(/^Phase: +Succeeded$/m);
  await vi.waitFor(async () => expect(await balance()).toBeLessThan(before), { timeout: 20_000, interval: 500 });
});

it('connects to Postgres with TLS only, each service as the login that owns its schema', async () => {
  const sessions = `SELECT DISTINCT split_part(application_name, '-', 2), usename, ssl
    FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE application_name LIKE 'tollgate-%' ORDER BY 1`;
  expect(await stores.sql(sessions)).toBe(LOGINS.map((login) => `${login}|tollgate_${login}|t\n`).join(''));
  const owners = "SELECT DISTINCT schemaname, tableowner FROM pg_tables WHERE tableowner <> 'postgres' ORDER BY 1";
  expect(await stores.sql(owners, 'tollgate')).toBe(LOGINS.map((login) => `${login}|tollgate_${login}\n`).join(''));
});

it.each([
  ['ingress', ['provider', 'redis']],
  ['auth', ['postgres', 'redis']],
  ['ledger', ['postgres', 'webhook']],
  ['router', []],
])('lets %s reach outside of the release %j alone', async (component, expected) => {
  const outside = [
    ...stores.targets,
    { title: 'provider', ip: host, port: provider.port },
    { title: 'webhook', ip: host, port: webhooks.port },
  ];
  for (const { name } of await release.pods(component))
    expect((await openTo(release, name, outside, true)).sort(), name).toEqual(expected);
});

it('has ready pods without restarts, and no simulated provider', async () => {
  const pods = await release.pods();
  expect(pods.map(({ component }) => component).sort()).toEqual([...SERVICES, ...SERVICES].sort());
  expect(pods.filter(({ ready, restarts }) => !ready || restarts > 0)).toEqual([]);
});
