import { UpstreamClient } from '@tollgate/ingress/exchange/upstream/call';
import { testProvider } from '@tollgate/ingress/probes/test-provider';
import { RouteTable } from '@tollgate/ingress/shared/catalogue/route-table';
import { credentialSources } from '@tollgate/ingress/testing/credential-sources';
import { EXAMPLE_KEY, type ExampleProvider, startExampleProvider } from '@tollgate/ingress/testing/example-provider';
import { CheckOutcome } from '@tollgate/proto/router';
import { catalogueFromText } from '@tollgate/router/catalogue/load';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { catalogueText, providerPage } from '../integration/support/provider-pages.ts';

const page = providerPage('yours');
const upstream = new UpstreamClient();
let provider: ExampleProvider;

beforeAll(async () => {
  provider = await startExampleProvider();
  // Like the provider of the page, it knows only the older name of the output limit.
  provider.faults = { old: true };
});
afterAll(async () => {
  await upstream.close();
  await provider.stop();
});

/** Tests the provider of a catalogue of the page, whose address is that of the stand-in. */
async function tested(catalogue: string) {
  const text = catalogue.replaceAll('https://api.example.com', provider.origin);
  const { routes } = catalogueFromText('yours.md', text, () => undefined);
  const [entry] = new RouteTable({ version: '1', ...routes }).models;
  const [route] = entry?.routes ?? [];
  if (entry === undefined || route === undefined) throw new Error('the page has no deployment');
  const options = { all: false, timeoutMs: 60_000, ingressName: 'test' };
  return (
    await testProvider({ upstream, ...credentialSources({ EXAMPLE_API_KEY: EXAMPLE_KEY }) }, { entry, route }, options)
  ).checks;
}

it('leads from an entry, over the hint for what fails, to a test that holds as shown', async () => {
  const first = catalogueText(page);
  const [whole] = await tested(first);
  expect(whole).toMatchObject({ name: 'whole', outcome: CheckOutcome.FAILS });
  expect(whole?.hint).toContain('`parameters: { output_limit: max_tokens }`');

  const changed = [...page.matchAll(/\n```yaml\n(providers:[\s\S]*?)\n```/g)].map(([, yaml]) => parse(yaml ?? ''));
  expect(changed).toHaveLength(1);
  const checks = await tested(JSON.stringify({ ...parse(first), ...changed[0] }));
  const shown = checks.map(({ name, outcome }) => `${name} ${outcome === CheckOutcome.HOLDS ? 'holds' : 'fails'}`);
  const [, listed = ''] = /CHECK +RESULT\n([\s\S]*?)\n```/.exec(page) ?? [];
  expect(shown).toEqual(listed.split('\n').map((line) => line.replace(/ +/, ' ')));
});
