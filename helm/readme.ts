import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';

/** One value of the chart: its path, its default as YAML in one line, and the comment above it. */
export interface ChartValue {
  path: string;
  standard: string;
  comment: string;
}

/**
 * Reads the values of a chart in their order. A map without a comment of its own is a group of values; one with a comment is
 * a value, unless its members have comments too.
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
    return [{ path, standard: standardOf(pair.value), comment }];
  });
}

/** Whether a map holds values with comments of their own, however deep. */
function isGroup(map: YAMLMap): boolean {
  return map.items.some(({ value }, index) => commentOf(map, index) !== '' || (isMap(value) && isGroup(value)));
}

/** The comment above a member; the parser gives that of the first one to the map. */
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

function standardOf(value: unknown): string {
  const plain: unknown =
    value !== null && typeof value === 'object' && 'toJSON' in value && typeof value.toJSON === 'function'
      ? value.toJSON()
      : value;
  return JSON.stringify(plain);
}

const HEAD = `# Tollgate's Helm chart

<!-- Made from values.yaml by \`make chart-docs\`. -->

Installs Tollgate, a metered and strictly prepaid gateway to AI models: ingress, auth, ledger and router, each with its
Deployment, autoscaler, disruption budget, probes and network policy. Kubernetes 1.30 or later.

## Try it

\`\`\`sh
helm install tollgate helm/tollgate --set evaluation.enabled=true --wait
\`\`\`

adds a Postgres and a Redis of one instance each, and a provider that calls no model. The notes it prints lead to a key and
a first request; \`helm test tollgate\` makes a paid one.

## Install it

\`\`\`yaml
# values of your own
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

Production with all it needs, sizing, upgrades, rotating secrets, backup and restore, and what each alert means:
[docs/operations](../../docs/operations/install.md).

## Migrations

They run before anything of the release is changed, as a hook: an installation or upgrade whose migration fails fails with
it, and what ran before runs on. Only the first installation of an evaluation cannot wait for them, as its Postgres comes
with the release: there an ordinary Job runs beside the services, which are not ready until the schema is as new as they need
it (\`helm install --wait\` waits for that). A rollback runs none: a schema is never older than the release before needs.

So that the release before can run on the new schema, a migration only expands: it adds tables, columns with defaults, and
indexes, and keeps what is there. What nobody reads any more is removed in a later release
([the rules](../../docs/operations/upgrade.md#rules-for-migrations)). \`kubectl create job migrate --from cronjob/<fullname>-migrate\` runs
them by hand, as \`…-raise-epoch\` and \`…-archive\` do what a restore and years of charges need.

## Stopping

A stopping pod serves on for \`preStopSeconds\` while load balancers learn of it, then finishes what is open. An ingress has
70 % of what is left of \`ingress.terminationGracePeriodSeconds\` for streams and 20 % for the charges in its journal; set it
longer than your longest answers. A journal that could not be emptied is lost with its pod, unless
\`ingress.journal.persistence\` keeps it.

## Between the services

With \`tls.enabled\` the services speak TLS to each other and show certificates to each other. Kubernetes asks gRPC services for
their health over plain HTTP on port 50052, where they answer that and nothing else. Clients find all pods of a service by its
headless Service and share their calls among them.

## Network policies

Pods of the release may be reached, and reach, only what they need: the ingress is reached by \`networkPolicy.clients\`; it
reaches auth, ledger, router, Redis and providers; auth reaches Postgres and Redis; the ledger Postgres and its webhook; the
router nothing; migrations and programs run by hand reach Postgres. All of them reach DNS and the collector, and are reached by who reads the metrics.

## Values

| value | default | what |
|---|---|---|
`;

/** The README of the chart, of its values.yaml. */
export function readmeOf(values: string): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  const rows = valuesOf(values).map(({ path, standard, comment }) => {
    const shown = standard === '""' ? '' : `\`${standard.replaceAll('|', '\\|')}\``;
    return `| \`${path}\` | ${shown} | ${cell(comment)} |`;
  });
  return `${HEAD}${rows.join('\n')}\n`;
}
