import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHECKOUT, findFreePort } from '@tollgate/local';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { type OtlpReceiver, startOtlpReceiver } from '@tollgate/test-support/gateway/otlp-receiver';
import { makeCertificate } from '@tollgate/test-support/stores/certificate';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hostAddress } from './support/cluster.ts';
import { serveHttps } from './support/https-console.ts';
import { Release, SERVICES } from './support/release.ts';

const release = new Release();
const folder = makeTemporaryFolder();
let consoleUrl: URL;
let receiver: OtlpReceiver;
let client: OpenAI;
let key: string;

beforeAll(async () => {
  const port = await findFreePort();
  receiver = await startOtlpReceiver({ host: '0.0.0.0', port });
  const json = [
    { name: 'OTEL_EXPORTER_OTLP_PROTOCOL', value: 'http/json' },
    { name: 'OTEL_BSP_SCHEDULE_DELAY', value: '200' },
  ];
  consoleUrl = new URL(`https://localhost:${await findFreePort()}`);
  const extra = Object.fromEntries(SERVICES.map((service) => [service, { extraEnv: json }]));
  await release.install({
    ...extra,
    console: { ...extra['console'], url: consoleUrl.origin },
    tracing: { endpoint: `http://${await hostAddress()}:${port}` },
    networkPolicy: { tracing: { ports: [port] } },
  });
  key = await demoKey();
  client = new OpenAI({ apiKey: key, baseURL: release.url, maxRetries: 0 });
});
afterAll(async () => {
  folder.remove();
  await receiver.stop();
});

/** As the notes of the chart say. */
async function demoKey(): Promise<string> {
  const task = ['node', 'services/console/dist/task.cjs', 'demo-key', '10'];
  return (await release.exec('deploy/tollgate-console', ...task)).trim();
}

describe('an installation on an empty cluster', () => {
  it('serves the official SDK from outside, and returns the charge by request id', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'simulated-small', messages: [{ role: 'user', content: 'Hello' }] })
      .withResponse();
    expect(data.choices[0]?.message.content).not.toBe('');
    const requestId = response.headers.get('x-request-id') ?? '';
    const looked = await fetch(`${release.url}/v1/billing/requests/${requestId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(looked.status).toBe(200);
    const record: unknown = await looked.json();
    expect(record).toMatchObject({ request_id: requestId, model: 'simulated-small', status: 'completed' });
    expect(Number(textAt(record, 'cost'))).toBe(at(data, 'usage', 'cost'));
  });

  it('streams', async () => {
    const stream = await client.chat.completions.create({
      model: 'simulated-small',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    });
    let pieces = 0;
    for await (const chunk of stream) pieces += chunk.choices[0]?.delta.content ? 1 : 0;
    expect(pieces).toBeGreaterThan(1);
  });

  it('has one trace across all services', async () => {
    // A new key, so that auth is asked.
    const cold = await demoKey();
    const { response } = await new OpenAI({ apiKey: cold, baseURL: release.url, maxRetries: 0 }).chat.completions
      .create({ model: 'simulated-small', messages: [{ role: 'user', content: 'Hello' }] })
      .withResponse();
    const traceId = response.headers.get('x-trace-id')?.replaceAll('-', '') ?? '';
    const services = () => [...new Set(receiver.spansOf(traceId).map(({ service }) => service))].sort();
    await vi.waitFor(
      () => expect(services()).toEqual(['tollgate-auth', 'tollgate-ingress', 'tollgate-ledger', 'tollgate-router']),
      { timeout: 60_000, interval: 200 },
    );
  });

  it('is operated by the command line over HTTPS, as the README says', async () => {
    const certificate = makeCertificate(folder.path);
    const served = await serveHttps(release, consoleUrl, certificate);
    const env = { PATH: process.env['PATH'], HOME: folder.path, NODE_EXTRA_CA_CERTS: certificate.cert };
    const tollgate = async (args: string[], input = '') => {
      const running = promisify(execFile)(join(CHECKOUT, 'services/cli/bin/tollgate'), args, { cwd: folder.path, env });
      running.child.stdin?.end(input);
      return (await running).stdout;
    };
    try {
      await tollgate(['login', '--url', consoleUrl.origin], await served.managementKey());
      expect(await tollgate(['profiles'])).toContain(consoleUrl.origin);
      const account: unknown = JSON.parse(await tollgate(['accounts', 'create', 'Research team', '--json']));
      const id = textAt(account, 'account_id');
      await tollgate(['deposits', 'create', id, '--amount', '1', '--reason', 'for a test']);
      const secret = textAt(JSON.parse(await tollgate(['keys', 'create', id, '--json'])), 'secret');
      expect(await tollgate(['models'])).toContain('simulated-small');
      const own = new OpenAI({ apiKey: secret, baseURL: release.url, maxRetries: 0 });
      const answer = await own.chat.completions.create({
        model: 'simulated-small',
        messages: [{ role: 'user', content: 'Hello' }],
      });
      expect(answer.choices[0]?.message.content).not.toBe('');
    } finally {
      served.stop();
    }
  });

  it('takes little memory: the ingress allocates it from mimalloc, and its young generation is limited', async () => {
    const ofProcess = (file: string) => release.exec('deploy/tollgate-ingress', 'cat', `/proc/1/${file}`);
    expect(await ofProcess('maps')).toContain('/libmimalloc.so');
    expect(await ofProcess('environ')).toContain('NODE_OPTIONS=--max-semi-space-size=32\0');
    expect(await ofProcess('cmdline')).toContain('--expose-gc\0');
  });

  it('passes helm test, which makes a paid request', async () => {
    expect(await release.helm('test', '--timeout', '2m')).toMatch(/^Phase: +Succeeded$/m);
  });

  it('has ready pods without restarts, and no keys in logs', async () => {
    const pods = await release.pods(...SERVICES, 'simulator', 'postgres', 'redis');
    expect(pods).toHaveLength(13);
    expect(pods.filter(({ ready, restarts }) => !ready || restarts > 0)).toEqual([]);
    for (const { name } of pods) expect(await release.kubectl('logs', name)).not.toContain(key.slice(0, 24));
  });
});
