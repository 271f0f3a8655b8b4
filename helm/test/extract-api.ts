import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * Writes kubernetes-api.json: of Kubernetes' own OpenAPI description, what the chart's kinds are made of. Its source is
 * api/openapi-spec/swagger.json of a Kubernetes release, or `kubectl get --raw /openapi/v2` of a cluster:
 *
 *     node helm/test/extract-api.ts swagger.json 1.34
 */
const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.apps.v1.StatefulSet',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.batch.v1.CronJob',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Pod',
  'io.k8s.api.core.v1.Secret',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
  'io.k8s.api.rbac.v1.Role',
  'io.k8s.api.rbac.v1.RoleBinding',
];
const NEEDED = new Set(['type', 'format', 'properties', 'required', 'items', 'additionalProperties', '$ref']);
const REFERENCE = '#/definitions/';
const GROUP_VERSION_KIND = 'x-kubernetes-group-version-kind';

const [source = '', version = ''] = process.argv.slice(2);
const swagger = z.object({ definitions: z.record(z.string(), z.json()) });
const { definitions } = swagger.parse(JSON.parse(readFileSync(source, 'utf8')));

const kept: Record<string, unknown> = {};
const open = [...KINDS];
for (let name = open.pop(); name !== undefined; name = open.pop()) {
  if (name in kept) continue;
  kept[name] = essence(definitions[name], (reference) => open.push(reference));
}

/** The part of a definition needed for validation; calls back for each definition that it references. */
function essence(value: unknown, refersTo: (name: string) => void): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([key]) => NEEDED.has(key) || key === GROUP_VERSION_KIND);
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (key === '$ref') refersTo(String(inner).slice(REFERENCE.length));
      if (key === 'properties') return [key, mapValues(inner, (property) => essence(property, refersTo))];
      return [key, essence(inner, refersTo)];
    }),
  );
}

function mapValues(object: object, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

const sorted = Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
const file = fileURLToPath(new URL('kubernetes-api.json', import.meta.url));
writeFileSync(file, `${JSON.stringify({ version, definitions: sorted })}\n`);
