import { describe, expect, it } from 'vitest';
import { CI_VALUES, render } from './helm.ts';
import { apiProblems } from './kubernetes-api.ts';

/** Kinds of others, which Kubernetes does not describe. */
const OF_OTHERS = ['HTTPRoute', 'Certificate', 'Issuer', 'ServiceMonitor', 'PrometheusRule'];

describe.each(CI_VALUES)('with the values %s', (values) => {
  it.each([false, true])('every manifest is what the Kubernetes API describes (upgrade: %s)', (upgrade) => {
    const manifests = render({ values, upgrade });
    expect(manifests.length).toBeGreaterThan(20);
    const undescribed = manifests.filter((each) => apiProblems(each) === undefined).map(({ kind }) => kind);
    expect(OF_OTHERS).toEqual(expect.arrayContaining(undescribed));
    expect(
      manifests.flatMap((each) => (apiProblems(each) ?? []).map((text) => `${each.metadata.name}: ${text}`)),
    ).toEqual([]);
  });

  it('every resource has a unique name', () => {
    const names = render({ values }).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });
});

it('the description detects faults', () => {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 1 },
    spec: { ports: [{ name: 'x' }], porst: [] },
  };
  expect(apiProblems(service)).toEqual([
    'Service.metadata.name is 1, not string',
    'Service.spec.ports[0].port is missing',
    'Service.spec.porst is unknown',
  ]);
});
