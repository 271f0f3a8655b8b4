import { readFileSync } from 'node:fs';
import { AuthScheme, DisconnectPolicy, RequestForm } from '@tollgate/proto/router';
import { describe, expect, it } from 'vitest';
import { compareCatalogues } from './compare.ts';
import { catalogueFromText } from './load.ts';

/** Loads a catalogue with one model at a provider with these fields. */
function routesOf(provider: object, deployment: object = {}) {
  const text = JSON.stringify({
    version: 1,
    providers: [{ id: 'p', protocol: 'openai-chat', base_url: 'https://cloud.example/v1', ...provider }],
    models: [
      {
        id: 'm',
        context_window: 1_000,
        max_output_tokens: 100,
        price: { input: 1, output: 1 },
        deployments: [{ provider: 'p', ...deployment }],
      },
    ],
  });
  return catalogueFromText('f', text, () => undefined).routes;
}

const STARTERS = new URL('../../../../deploy/catalogue/clouds/', import.meta.url);

describe('a starter catalogue of a cloud', () => {
  it.each(['azure', 'bedrock', 'vertex'])('is valid, and drains what is billed: %s', (name) => {
    const text = readFileSync(new URL(`${name}.yaml`, STARTERS), 'utf8');
    const { models, providers } = catalogueFromText(name, text, () => 'name-of-mine').routes;
    expect(models.length).toBeGreaterThanOrEqual(2);
    for (const { disconnectPolicy } of models) expect(disconnectPolicy).toBe(DisconnectPolicy.DRAIN);
    expect(providers.every(({ baseUrl }) => baseUrl.startsWith('https://'))).toBe(true);
  });
});

describe('a provider that is a cloud', () => {
  it('needs no credential in the catalogue', () => {
    const aws = routesOf({ auth: 'aws-sigv4', cloud: { region: 'us-east-1', service: 'bedrock-mantle' } });
    expect(aws.providers[0]).toMatchObject({
      authScheme: AuthScheme.AWS_SIGV4,
      cloud: { region: 'us-east-1', service: 'bedrock-mantle', profile: '', tenant: '' },
      requestForm: RequestForm.STANDARD,
    });
    expect(routesOf({ auth: 'google' }).providers[0]).toMatchObject({ authScheme: AuthScheme.GOOGLE });
    const entra = routesOf({ auth: 'entra', cloud: { tenant: 't', client_id: 'c' }, api_key: { env: 'A_SECRET' } });
    expect(entra.models[0]?.deployments[0]?.credentials).toHaveLength(1);
    expect(() => routesOf({ auth: 'api-key' })).toThrow('has no credential');
  });

  it('names the region that a signature is for, and no key', () => {
    expect(() => routesOf({ auth: 'aws-sigv4' })).toThrow('must have a region: a signature is for one');
    const signed = { auth: 'aws-sigv4', cloud: { region: 'us-east-1' } };
    expect(() => routesOf({ ...signed, api_key: { env: 'A_KEY' } })).toThrow('must have no api_key');
    expect(() => routesOf(signed, { api_key: { env: 'A_KEY' } })).toThrow('must have no api_key');
  });

  it('has only the fields of its way to authorize', () => {
    const cloud = { region: 'us-east-1', scope: 'https://scope.example/.default', tenant: 't' };
    expect(() => routesOf({ auth: 'google', cloud })).toThrow(
      /cloud\.region: is only for auth: aws-sigv4[\s\S]*cloud\.tenant/,
    );
    const chat = { auth: 'google', request_form: 'raw-predict' };
    expect(() => routesOf(chat)).toThrow('only for providers of the protocol anthropic-messages');
  });

  it('bills a response to its end, unless the entry says otherwise', () => {
    const policyOf = (provider: object) => routesOf(provider).models[0]?.disconnectPolicy;
    expect(policyOf({ auth: 'google' })).toBe(DisconnectPolicy.DRAIN);
    expect(policyOf({ auth: 'api-key', api_key: { env: 'A_KEY' } })).toBe(DisconnectPolicy.DRAIN);
    expect(policyOf({ auth: 'bearer', api_key: { env: 'A_KEY' } })).toBe(DisconnectPolicy.ABORT);
  });

  it('is compared by field', () => {
    const [before, after] = ['us-east-1', 'eu-west-1'].map((region) =>
      routesOf({ auth: 'aws-sigv4', cloud: { region } }),
    );
    if (before === undefined || after === undefined) throw new Error('two catalogues are needed');
    expect(compareCatalogues(before, after)).toEqual([
      { modelId: '', field: 'providers.p.cloud', before: 'region us-east-1', after: 'region eu-west-1' },
    ]);
  });
});
