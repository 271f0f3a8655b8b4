import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readmeOf, valuesOf } from '../readme.ts';
import { CHART, CI_VALUES, refusal, renderAnew, runHelm } from './helm.ts';

const valuesText = readFileSync(`${CHART}/values.yaml`, 'utf8');
const schemaText = readFileSync(`${CHART}/values.schema.json`, 'utf8');

describe('values.yaml', () => {
  it('describes every value', () => {
    const values = valuesOf(valuesText);
    expect(values.length).toBeGreaterThan(150);
    expect(values.filter(({ comment }) => comment.length < 8).map(({ path }) => path)).toEqual([]);
  });

  it('matches README.md', () => {
    expect(readFileSync(`${CHART}/README.md`, 'utf8')).toBe(readmeOf(valuesText));
  });
});

interface Schema {
  type?: unknown;
  const?: unknown;
  properties?: Record<string, Schema> | undefined;
  additionalProperties?: unknown;
}
const schema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    const: z.unknown().optional(),
    properties: z.record(z.string(), schema).optional(),
    additionalProperties: z.unknown().optional(),
  }),
);

/** A removed value is refused with what replaces it. */
const isRemoved = ({ const: only }: Schema = {}) => typeof only === 'string' && only.startsWith('removed: ');

describe('values.schema.json', () => {
  it('describes exactly the values, and rejects others', () => {
    const compare = (at: Schema, value: unknown, path: string): string[] => {
      const { properties } = at;
      if (properties === undefined) return [];
      const given = z.record(z.string(), z.unknown()).parse(value);
      const described = Object.keys(properties).filter(
        (name) => name !== 'global' && !isRemoved(properties[name]) && !(path === '' && name === '$defs'),
      );
      const open = at.additionalProperties === false ? [] : [`${path} is open`];
      const odd = [
        ...described.filter((name) => !(name in given)),
        ...Object.keys(given).filter((name) => !described.includes(name)),
      ];
      const inner = described.flatMap((name) => compare(properties[name] ?? {}, given[name], `${path}.${name}`));
      return [...open, ...odd.map((name) => `${path}.${name}`), ...inner];
    };
    expect(compare(schema.parse(JSON.parse(schemaText)), parse(valuesText), '')).toEqual([]);
  });

  it.each([
    ['ingress.replicas', '2', '/ingress/replicas'],
    ['ingress.replicas', 0, '/ingress/replicas'],
    ['ingress.jurnal', { maxBytes: 1 }, "'jurnal' not allowed"],
    ['ingres', {}, "'ingres' not allowed"],
    ['cli', { enabled: false }, 'removed: the command line runs anywhere'],
    ['tls.existingSecrets.cli', 'e', 'removed: the command line needs no certificate'],
    ['image.pullPolicy', 'Sometimes', '/image/pullPolicy'],
    ['image.tag', 'a b', '/image/tag'],
    ['serviceName', 'Tollgate', '/serviceName'],
    ['logLevel', 'loud', '/logLevel'],
    ['postgres.url', 'mysql://x', '/postgres/url'],
    ['postgres.logins', { router: {} }, "'router' not allowed"],
    ['redis.url', 'http://x', '/redis/url'],
    ['providers.env', { OPENAI: { existingSecret: 'a', secretKey: 'b' } }, '/providers/env'],
    ['providers.env', { OPENAI_API_KEY: 'sk-live' }, '/providers/env/OPENAI_API_KEY'],
    ['ingress.journal.sizeLimit', 'lots', '/ingress/journal/sizeLimit'],
    ['ingress.rechargeUrl', 'example.com', '/ingress/rechargeUrl'],
    ['ingress.extraEnv', [{ name: 'A', vale: '1' }], '/ingress/extraEnv/0'],
    ['ledger.webhook.url', 'ftp://x', '/ledger/webhook/url'],
    ['auth.resources', { request: {} }, '/auth/resources'],
    ['auth.autoscaling.targetOpenRequests', 5, "'targetOpenRequests' not allowed"],
    ['expose.service.type', 'Public', '/expose/service/type'],
    ['expose.service.port', 70_000, '/expose/service/port'],
    ['expose.httpRoute.parentRefs', [{}], '/expose/httpRoute/parentRefs/0'],
    ['tls.source', 'magic', '/tls/source'],
    ['tls.certManager.duration', 'a year', '/tls/certManager/duration'],
    ['networkPolicy.clients', [{ cidr: '10.0.0.0/8' }], '/networkPolicy/clients/0'],
    ['networkPolicy.postgres.ports', ['pg'], '/networkPolicy/postgres/ports/0'],
    ['tracing.endpoint', 'collector:4318', '/tracing/endpoint'],
    ['probes.live.periodSeconds', 0, '/probes/live/periodSeconds'],
    ['podSecurity.runAsUser', 0, '/podSecurity/runAsUser'],
    ['evaluation.enabled', 'yes', '/evaluation/enabled'],
  ])('refuses %s = %j by its name', (path, value, named) => {
    expect(refusal({ values: 'evaluation', set: { [path]: value } })).toContain(named);
  });
});

describe('related values', () => {
  it('without any value: the error names all that are missing', () => {
    const said = refusal({});
    for (const name of ['postgres.url', 'redis.url', 'catalogue.inline', 'console.url', 'evaluation.enabled=true'])
      expect(said).toContain(name);
  });

  it.each([
    ['production', { 'postgres.url': 'postgres://x' }, 'postgres.url and postgres.existingSecret'],
    ['production', { 'postgres.logins.auth.url': 'postgres://x' }, 'postgres.logins.auth.url and'],
    ['production', { 'postgres.logins.ledger.existingSecret': '' }, 'postgres.logins.ledger is missing'],
    ['evaluation', { 'postgres.logins.auth.url': 'postgres://x' }, 'postgres.logins requires postgres.url'],
    ['production', { 'catalogue.inline': 'version: 1' }, 'catalogue.inline and catalogue.existingConfigMap'],
    ['production', { 'ledger.webhook.existingSecret': '' }, 'ledger.webhook.existingSecret is missing'],
    ['production', { 'tls.enabled': true, 'tls.source': 'existing' }, 'tls.existingSecrets.auth is missing'],
    ['production', { 'console.url': '' }, 'console.url is missing'],
    ['production', { 'console.url': 'http://console.example.com' }, 'console.url must be an https URL'],
    ['production', { 'console.enabled': false }, 'ingress.rechargeUrl is missing'],
    ['production', { 'console.oidc.issuer': 'https://id.example.com' }, 'console.oidc.clientId'],
    ['production', { 'payments.stripe.existingSecret': '' }, 'payments.stripe.existingSecret is missing'],
    ['gateway-api', { 'payments.enabled': true }, 'payments.enabled requires console.enabled'],
    ['everything', { 'payments.httpRoute.parentRefs': [] }, 'payments.httpRoute.parentRefs is missing'],
    ['production', { 'console.smtp.existingSecret': 'smtp' }, 'console.smtp.from is missing'],
    ['evaluation', { 'console.httpRoute.enabled': true }, 'console.httpRoute.parentRefs is missing'],
    ['evaluation', { 'expose.httpRoute.enabled': true }, 'expose.httpRoute.parentRefs is missing'],
    ['evaluation', { 'auth.autoscaling.minReplicas': 9 }, 'auth.autoscaling.minReplicas exceeds maxReplicas'],
    ['evaluation', { 'ingress.preStopSeconds': 360 }, 'ingress.terminationGracePeriodSeconds leaves no time'],
  ])('with the values %s, refuses %j', (values, set, said) => {
    expect(refusal({ values, set })).toContain(said);
  });
});

describe.each(CI_VALUES)('the values %s', (values) => {
  it('pass helm lint --strict', () => {
    const { status, stdout } = runHelm(
      'lint',
      '--strict',
      '--kube-version',
      '1.34.0',
      CHART,
      '--values',
      `${CHART}/ci/${values}-values.yaml`,
    );
    expect(stdout).toContain('0 chart(s) failed');
    expect(status).toBe(0);
  });

  it('render the same twice, except for the passwords of an evaluation', () => {
    const stable = () => renderAnew({ values }).filter(({ metadata }) => metadata.name !== 'tollgate-evaluation');
    expect(stable()).toEqual(stable());
  });
});
