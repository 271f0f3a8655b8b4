import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../api/operations.ts';
import { createOpenApiDocument } from './document.ts';

const document = createOpenApiDocument('https://console.example.com');
const text = JSON.stringify(document);
const all = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

/** The operations under a prefix, by route. */
const under = (prefix: string) =>
  new Map(
    all
      .filter(({ path }) => path.startsWith(`${prefix}/`))
      .map(({ path, method, operation }) => [`${method.toUpperCase()} ${path.slice(prefix.length)}`, operation]),
  );

describe('operations', () => {
  it('are all under /api, and under /management/v1 those for programs', () => {
    expect([...under('/api').keys()].sort()).toEqual(OPERATIONS.map(({ route }) => route).sort());
    const ofPrograms = OPERATIONS.filter(({ programs }) => programs).map(({ route }) => route);
    expect([...under('/management/v1').keys()].sort()).toEqual(ofPrograms.sort());
  });

  it('have ids of their own, that of the table for programs', () => {
    const ids = all.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(under('/management/v1').get('GET /accounts/{account_id}/keys')?.operationId).toBe('listKeys');
    expect(under('/api').get('GET /accounts/{account_id}/keys')?.operationId).toBe('webListKeys');
  });

  it('require the credentials of their prefix, unless everybody may call them', () => {
    for (const { route, access } of OPERATIONS) {
      const session = access === 'anyone' ? [{}, { session: [] }] : [{ session: [] }];
      expect([route, under('/api').get(route)?.security]).toEqual([route, session]);
    }
    for (const operation of under('/management/v1').values())
      expect(operation.security).toEqual([{ managementKey: [] }]);
  });

  it('declare the parameters of their path, and no others', () => {
    for (const { path, operation } of all) {
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  it('say which parameters are required, and their defaults', () => {
    const { parameters } = under('/management/v1').get('GET /accounts/{account_id}/requests') ?? { parameters: [] };
    const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
    expect(byName.get('account_id')).toMatchObject({ in: 'path', required: true });
    expect(byName.get('start')).toMatchObject({
      in: 'query',
      required: false,
      schema: { $ref: '#/components/schemas/Time' },
    });
    expect(byName.get('limit')).toMatchObject({
      required: false,
      schema: { type: 'integer', maximum: 200, default: 50 },
    });
    expect(byName.get('model')).toMatchObject({ required: false, schema: { type: 'string' } });
  });

  it('have a body that is strict, and responses that may get further fields', () => {
    const { schemas } = document.components;
    expect(schemas['CreateKeyRequest']).toMatchObject({ required: ['name'], additionalProperties: false });
    expect(schemas['ListKeysResponse']).not.toHaveProperty('additionalProperties');
  });

  it('have the content types that they stream', () => {
    const contentOf = (route: string) => {
      const response = under('/api').get(route)?.responses['200'];
      return response !== undefined && 'content' in response ? response.content : undefined;
    };
    expect(contentOf('GET /accounts/{account_id}/requests/export')).toEqual({
      'text/csv': { schema: { type: 'string' } },
      'application/x-ndjson': {
        schema: { type: 'string' },
        'x-item-schema': { $ref: '#/components/schemas/RequestBill' },
      },
    });
    expect(Object.keys(contentOf('POST /accounts/{account_id}/playground') ?? {})).toEqual(['text/event-stream']);
  });
});

describe('the document', () => {
  it('has everything it refers to, and nothing that is not referred to', () => {
    const used = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    const { schemas, responses } = document.components;
    const defined = [
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
      ...Object.keys(responses).map((name) => `responses/${name}`),
    ];
    expect([...used].sort()).toEqual(defined.sort());
    expect(text.match(/"\$ref":/g)?.length).toBe(
      text.match(/"\$ref":"#\/components\/(schemas|responses)\/\w+"/g)?.length,
    );
  });

  it('describes each of its tags', () => {
    const used = new Set(all.flatMap(({ operation }) => operation.tags));
    expect([...used].sort()).toEqual(document.tags.map(({ name }) => name).sort());
  });

  it('names the cookie that browsers get', () => {
    const { session } = document.components.securitySchemes;
    expect(session).toMatchObject({ in: 'cookie', name: '__Host-tollgate-session' });
    const local = createOpenApiDocument('http://localhost:8070').components.securitySchemes['session'];
    expect(local).toMatchObject({ name: 'tollgate-session' });
  });
});
