import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { runCli } from '@tollgate/cli/testing/run-cli';
import { listen } from '@tollgate/common/http-server';
import { findFreePort } from '@tollgate/local';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** What is left for a challenge: seven requests of 500 tokens, of which the provider sends far fewer. */
const LIMIT = '0.002';
const LIMIT_NANOS = 2_000_000n;

let gateway: Gateway;
let upstreamPort: number;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: 2, ledgers: 2 });
  upstreamPort = await findFreePort();
});
afterAll(() => gateway.stop());

async function verify(key: string, protocol: string, ...flags: string[]) {
  const usual = ['--limit', LIMIT, '--model', 'small', '--clients', '30', '--protocol', protocol, '--json'];
  const { status, stdout, stderr } = await runCli([
    'verify',
    '--base-url',
    gateway.baseUrl,
    '--key',
    key,
    ...usual,
    ...flags,
  ]);
  return { status, stderr, finding: JSON.parse(stdout) };
}

it.each(['openai-responses', 'anthropic-messages', 'gemini'])(
  'a balance is not overspent in the protocol %s',
  async (protocol) => {
    const { key } = await gateway.accounts.create(LIMIT_NANOS);
    const { status, stderr, finding } = await verify(key, protocol);
    expect({ status, stderr, finding }).toMatchObject({
      status: 0,
      finding: { overshoot: '0', billed_by: 'Tollgate' },
    });
  },
);

it('no request is accepted after its key was deleted', async () => {
  const { key, keyId } = await gateway.accounts.create(1_000_000_000n);
  const deletes = createServer((_, response) => {
    gateway.accounts.deleteKey(keyId).then(
      () => response.end(),
      () => response.destroy(),
    );
  });
  const port = await listen(deletes, '127.0.0.1', 0);
  const command = `'${process.execPath}' -e "fetch('http://127.0.0.1:${port}').then(({ ok }) => process.exit(ok ? 0 : 1))"`;
  const { status, stderr, finding } = await verify(key, 'openai-chat', '--delete', command);
  deletes.close();
  expect({ status, stderr, finding }).toMatchObject({ status: 0, finding: { accepted_after_deletion: 0 } });
  expect(finding.accepted).toBeGreaterThan(0);
  expect(finding.refused).toEqual([{ status: 401, count: expect.any(Number), message: expect.any(String) }]);
});

it('a cap is not overspent, as the gateway says and as the provider counts', async () => {
  await addScriptedModel();
  const { key } = await gateway.accounts.create(1_000_000_000n, { caps: { totalNanos: LIMIT_NANOS } });
  await expect.poll(() => modelsOf(key), { timeout: 30_000 }).toContain('scripted');
  const prices = ['--input-price', '0.15', '--output-price', '0.6'];
  const flags = ['--model', 'scripted', '--upstream', `127.0.0.1:${upstreamPort}`, ...prices];
  const { status, stderr, finding } = await verify(key, 'openai-chat', ...flags);
  expect({ status, stderr, finding }).toMatchObject({ status: 0, finding: { overshoot: '0', billed_by: 'Tollgate' } });
  expect(Number(finding.served)).toBeGreaterThan(0);
});

/** Adds a model whose provider is the upstream of `verify`, at the price of the model `small`. */
async function addScriptedModel(): Promise<void> {
  const catalogue = JSON.parse(await readFile(gateway.catalogueFile, 'utf8'));
  const named = (list: { id: string }[], id: string) => list.find((each) => each.id === id);
  const url = `http://127.0.0.1:${upstreamPort}/v1`;
  catalogue.providers.push({ ...named(catalogue.providers, 'patient'), id: 'scripted', base_url: url });
  const deployments = [{ provider: 'scripted', model: 'any' }];
  catalogue.models.push({ ...named(catalogue.models, 'small'), id: 'scripted', aliases: [], deployments });
  await writeFile(gateway.catalogueFile, JSON.stringify(catalogue));
}

async function modelsOf(key: string): Promise<string[]> {
  const { data } = await gateway.openai(key).models.list();
  return data.map(({ id }) => id);
}
