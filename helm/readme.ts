import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';

/** One value of the chart: its path, its default as one line of YAML, and the comment above it. */
export interface ChartValue {
  path: string;
  defaultValue: string;
  comment: string;
}

/**
 * Reads the values of a chart in order. A map without a comment is a group of values; a map with a comment is a value,
 * unless its members have comments too.
 *
 * @throws Error when values.yaml cannot be read
 */
export function valuesOf(text: string): ChartValue[] {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  if (!isMap(document.contents)) throw new Error('values.yaml must be a map');
  return valuesIn(document.contents, '', document.commentBefore ?? '');
}

function valuesIn(map: YAMLMap, prefix: string, leading: string): ChartValue[] {
  return map.items.flatMap((pair, index) => {
    const path = prefix + nameOf(pair);
    const comment = commentOf(map, index) || (index === 0 ? commentLines(leading) : '');
    if (isMap(pair.value) && isGroup(pair.value)) return valuesIn(pair.value, `${path}.`, '');
    return [{ path, defaultValue: defaultOf(pair.value), comment }];
  });
}

/** Whether a map contains values with comments, at any depth. */
function isGroup(map: YAMLMap): boolean {
  return map.items.some(({ value }, index) => commentOf(map, index) !== '' || (isMap(value) && isGroup(value)));
}

/** The comment above a member. The parser attaches the comment of the first member to the map. */
function commentOf(map: YAMLMap, index: number): string {
  const key = map.items[index]?.key;
  const own = isScalar(key) ? (key.commentBefore ?? '') : '';
  return commentLines(own || (index === 0 ? (map.commentBefore ?? '') : ''));
}

function nameOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

function commentLines(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

function defaultOf(value: unknown): string {
  const plain: unknown =
    value !== null && typeof value === 'object' && 'toJSON' in value && typeof value.toJSON === 'function'
      ? value.toJSON()
      : value;
  return JSON.stringify(plain);
}

const HEAD = `# Tollgate's Helm chart

<!-- Generated from values.yaml by \`make docs\`. -->

Installs Tollgate, a metered and strictly prepaid gateway to AI models. Ingress, auth, ledger and router each get a
Deployment, autoscaler, disruption budget, probes and network policy. Requires Kubernetes 1.30 or later.

## Try it

\`\`\`sh
helm install tollgate helm/tollgate --set evaluation.enabled=true --wait
\`\`\`

This adds single instances of Postgres and Redis, and a provider that calls no model. The printed notes show how to get a
key and make a first request. \`helm test tollgate\` makes a paid request.

## Install it

\`\`\`yaml
# your values
postgres: { existingSecret: tollgate-postgres }   # key url: postgres://user:password@host:5432/tollgate
redis: { existingSecret: tollgate-redis }         # key url: rediss://…; maxmemory-policy noeviction
providers:
  env:
    OPENAI_API_KEY: { existingSecret: openai, secretKey: api-key }
ingress: { rechargeUrl: https://pay.example.com/top-up }
\`\`\`

\`\`\`sh
helm upgrade --install tollgate helm/tollgate -f values.yaml --set-file catalogue.inline=catalogue.yaml --wait --timeout 10m
\`\`\`

For production, sizing, upgrades, rotation of secrets, backup and restore, and alerts, see
[docs/operations](../../docs/operations/install.md).

## Migrations

Migrations run in a hook before anything else of the release changes. If one fails, the installation or upgrade fails and
the previous release keeps running. The first installation of an evaluation is an exception, because its Postgres is part
of the release: a Job runs the migrations next to the services, which become ready when their schema is up to date
(\`helm install --wait\` waits for that). A rollback runs no migrations, and needs none: the previous release works with the
newer schema.

To make that possible, migrations only expand the schema: they add tables, columns with defaults, and indexes. What is no
longer used is removed in a later release ([the rules](../../docs/operations/upgrade.md#rules-for-migrations)). To run
migrations by hand, use \`kubectl create job migrate --from cronjob/<fullname>-migrate\`. The CronJobs \`…-raise-epoch\` and
\`…-archive\` serve restores and the archiving of old charges in the same way.

## Stopping

A stopping pod keeps serving for \`preStopSeconds\` while load balancers remove it, then finishes its open requests. An
ingress spends 70% of the rest of \`ingress.terminationGracePeriodSeconds\` on open streams and 20% on the charges in its
journal, so set it longer than your longest responses. Charges left in the journal are lost with the pod unless
\`ingress.journal.persistence\` is enabled.

## Between the services

With \`tls.enabled\`, services use mutual TLS. Kubernetes probes the gRPC services over plain HTTP on port 50052, which serves
nothing else. Clients find all pods of a service through its headless Service and balance their calls across them.

## Network policies

Pods accept and open only the connections they need. The ingress accepts \`networkPolicy.clients\` and connects to auth,
ledger, router, Redis and providers. Auth connects to Postgres and Redis, the ledger to Postgres and its webhook, the router
to nothing. Migrations and tasks connect to Postgres. All pods connect to DNS and the tracing collector, and accept the
peers in \`networkPolicy.metrics\`.

## Values

| value | default | description |
|---|---|---|
`;

/** Renders the chart's README from its values.yaml. */
export function readmeOf(values: string): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  const rows = valuesOf(values).map(({ path, defaultValue, comment }) => {
    const shown = defaultValue === '""' ? '' : `\`${defaultValue.replaceAll('|', '\\|')}\``;
    return `| \`${path}\` | ${shown} | ${cell(comment)} |`;
  });
  return `${HEAD}${rows.join('\n')}\n`;
}
