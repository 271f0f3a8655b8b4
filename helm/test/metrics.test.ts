import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { CHART, find, render } from './helm.ts';

const SERVICES = fileURLToPath(new URL('../../services', import.meta.url));
const MADE =
  /(createCounter|createObservableCounter|createHistogram|createGauge|createObservableGauge|metrics\.gauge)\(\s*'([a-z_.]+)'/g;

/** The Prometheus names of the services' metrics. */
function namesMeasured(): Set<string> {
  const sources = globSync('*/src/**/*.ts', { cwd: SERVICES }).filter((file) => !file.endsWith('.test.ts'));
  const names = sources.flatMap((file) =>
    [...readFileSync(`${SERVICES}/${file}`, 'utf8').matchAll(MADE)].flatMap(([, kind = '', name = '']) => {
      const plain = name.replaceAll('.', '_');
      if (kind.endsWith('Counter')) return [`${plain}_total`];
      if (kind === 'createHistogram') return ['bucket', 'count', 'sum'].map((part) => `${plain}_${part}`);
      return [plain];
    }),
  );
  return new Set(names);
}

const namesIn = (text: string) => new Set(text.match(/\b(tollgate|http_server|gen_ai_server)_[a-z_]+(?=[{[,)])/g));

const alerts = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string().regex(/^Tollgate[A-Z]/),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.object({ summary: z.string().endsWith('.'), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});
const dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string(), gridPos: z.looseObject({}), targets: z.array(z.object({ expr: z.string() })) }),
  ),
});

describe('alerts and the dashboard', () => {
  const measured = namesMeasured();
  const rulesOf = (given: unknown) => alerts.parse(given).groups.flatMap(({ rules }) => rules);
  const rules = rulesOf(parse(readFileSync(`${CHART}/files/alerts.yaml`, 'utf8')));

  it('use metrics that the services have', () => {
    expect(measured.size).toBeGreaterThan(20);
    const panels = dashboard.parse(JSON.parse(readFileSync(`${CHART}/files/dashboard.json`, 'utf8'))).panels;
    const requested = [...rules, ...panels.flatMap(({ targets }) => targets)].flatMap(({ expr }) => [...namesIn(expr)]);
    expect(new Set(requested).size).toBeGreaterThan(15);
    expect(requested.filter((name) => !measured.has(name))).toEqual([]);
  });

  it('stay within the namespace', () => {
    for (const { alert, expr } of rules)
      expect(expr.match(/\{/g)?.length, alert).toBe(expr.match(/\{namespace="NAMESPACE"/g)?.length);
  });

  it('distinguish responses of ingresses from those of the console, which have the same metric', () => {
    const panels = dashboard.parse(JSON.parse(readFileSync(`${CHART}/files/dashboard.json`, 'utf8'))).panels;
    const selectors = [...rules, ...panels.flatMap(({ targets }) => targets)].flatMap(({ expr }) =>
      [...expr.matchAll(/http_server_request_duration_\w+\{([^}]*)\}/g)].map(([, labels]) => labels),
    );
    expect(selectors.length).toBeGreaterThan(1);
    for (const labels of selectors) expect(labels).toContain('app_kubernetes_io_component="ingress"');
  });

  it('link to their own heading of the runbook', () => {
    const text = readFileSync(new URL('../../docs/operations/alerts.md', import.meta.url), 'utf8');
    const headings = [...text.matchAll(/^### (Tollgate[A-Z]\w+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
    const runbook = 'https://git.example.com/tollgate/alerts.md';
    const set = { 'metrics.prometheusRule.runbook': runbook };
    const { spec } = find(render({ values: 'everything', set }), 'PrometheusRule', 'tollgate-alerts');
    const links = rulesOf(spec).map(({ annotations }) => annotations.runbook_url);
    expect(links).toEqual(rules.map(({ alert }) => `${runbook}#${alert.toLowerCase()}`));
  });

  it('scale by metrics of the ingress', () => {
    expect(measured).toContain('tollgate_open_requests');
  });
});
