import { settings as auth } from '@tollgate/auth/config';
import { settings as console } from '@tollgate/console/config';
import { settings as ingress } from '@tollgate/ingress/config';
import { settings as ledger } from '@tollgate/ledger/config';
import { settings as payments } from '@tollgate/payments/config';
import { settings as router } from '@tollgate/router/config';
import { settings as simulator } from '@tollgate/simulator/config';
import { settings as stripeSimulator } from '@tollgate/stripe-simulator/config';
import { z } from 'zod';

/** The services, in the order of the page. */
const SERVICES = {
  auth,
  ledger,
  router,
  ingress,
  console,
  payments,
  simulator,
  'stripe-simulator': stripeSimulator,
} as const;

/** What the JSON schema of a setting says that the page shows. */
const propertySchema = z.object({
  description: z.string({ error: 'must be described' }),
  default: z.union([z.string(), z.number()]).optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

interface Setting {
  name: string;
  /** Where it is defined: services that share a setting share its schema. */
  schema: z.core.$ZodType;
  services: string[];
  property: z.output<typeof propertySchema>;
  isRequired: boolean;
}

const HEAD = `# Settings

<!-- Generated from the settings' schemas in services/*/src/config.ts by \`make docs\`. -->

Each service reads its settings from environment variables once, when it starts, and rejects a bad value by name. An empty
variable counts as unset. The [chart](../helm/tollgate/README.md) sets them from its values. Amounts of time are
milliseconds (\`_MS\`), sizes are bytes (\`_BYTES\`).

The \`OTEL_\` variables of the OpenTelemetry SDK work too: spans are sent when \`OTEL_EXPORTER_OTLP_ENDPOINT\` is set. Provider
credentials are environment variables or files of the ingress that the catalogue names.
`;

/** Renders docs/configuration.md: a table of settings for each set of services that share them, widest sets first. */
export function renderConfiguration(): string {
  const settings = readSettings();
  const groups = Map.groupBy(settings, ({ services }) => services.join(', '));
  const ordered = [...groups].sort(([, [one]], [, [other]]) => widthOf(other) - widthOf(one));
  return HEAD + ordered.map(([services, members]) => renderGroup(services, members)).join('');
}

function widthOf(setting: Setting | undefined): number {
  return setting?.services.length ?? 0;
}

function readSettings(): Setting[] {
  const settings: Setting[] = [];
  for (const [service, schema] of Object.entries(SERVICES)) {
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    for (const [name, member] of Object.entries<z.core.$ZodType>(schema.shape)) {
      const shared = settings.find((each) => each.name === name && each.schema === member);
      if (shared !== undefined) shared.services.push(service);
      else {
        const property = propertySchema.parse(properties[name]);
        settings.push({ name, schema: member, services: [service], property, isRequired: required.includes(name) });
      }
    }
  }
  return settings;
}

function renderGroup(services: string, settings: readonly Setting[]): string {
  const isAll = services === Object.keys(SERVICES).join(', ');
  const rows = settings.map(
    ({ name, property, isRequired }) =>
      `| \`${name}\` | ${isRequired ? 'required' : defaultOf(property)} | ${valuesOf(property)} | ${property.description} |\n`,
  );
  return `
## ${isAll ? 'All services' : services}

| variable | default | values | description |
|---|---|---|---|
${rows.join('')}`;
}

function defaultOf({ default: value }: Setting['property']): string {
  return value === undefined || value === '' ? '' : `\`${value}\``;
}

function valuesOf({ enum: values, minimum, maximum = Number.MAX_SAFE_INTEGER }: Setting['property']): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (minimum === undefined) return '';
  return maximum === Number.MAX_SAFE_INTEGER ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}
