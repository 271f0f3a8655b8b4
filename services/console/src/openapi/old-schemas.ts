import { z } from 'zod';
import { account, usageRow } from '../api/accounts.ts';
import { balance, id, memberRole, money, percent, role, tags, time } from '../api/fields.ts';
import { key } from '../api/keys.ts';
import { managementKey } from '../api/management-keys.ts';
import { invitation, member, newInvitation } from '../api/members.ts';
import { caps, limits } from '../api/settings.ts';
import { person, session } from '../api/sign-in.ts';
import type { JsonSchema, Reference } from './types.ts';

/** Schemas that several operations share, by their names in the document. */
const SHARED: Readonly<Record<string, z.ZodType>> = {
  Account: account,
  Balance: balance,
  SpendingCaps: caps,
  Id: id,
  Invitation: invitation,
  ApiKey: key,
  RateLimits: limits,
  ManagementKey: managementKey,
  Member: member,
  MemberRole: memberRole,
  Money: money,
  NewInvitation: newInvitation,
  Percent: percent,
  Person: person,
  Role: role,
  Session: session,
  Tags: tags,
  Time: time,
  UsageRow: usageRow,
};

/** Collects the schemas of a document, each under one name, and renders them. */
export class Schemas {
  readonly #registry = z.registry<{ id: string }>();
  /** Objects whose fields are parameters; they are no schemas of the document themselves. */
  readonly #parameters = new Set<string>();

  constructor() {
    for (const [name, schema] of Object.entries(SHARED)) this.#registry.add(schema, { id: name });
  }

  /** Adds a schema under a name, unless it is there already; returns a reference. */
  add(schema: z.ZodType, name: string): Reference {
    const known = this.#registry.get(schema)?.id;
    if (known === undefined) this.#registry.add(schema, { id: name });
    return { $ref: uriOf(known ?? name) };
  }

  /** Adds an object whose fields are parameters; returns its name. */
  addParameters(schema: z.ZodObject, name: string): string {
    const known = this.#registry.get(schema)?.id;
    if (known === undefined) this.#registry.add(schema, { id: name });
    this.#parameters.add(known ?? name);
    return known ?? name;
  }

  /** Renders all schemas as JSON Schema, as clients send and receive them. */
  render(): { components: Record<string, JsonSchema>; parameters: ReadonlyMap<string, JsonSchema> } {
    // Responses have neither defaults nor conversions: what handlers return is what clients receive. As input, objects are
    // open unless they are strict, so that a response may get further fields.
    const rendered = z.toJSONSchema(this.#registry, { io: 'input', uri: uriOf, override: simplify });
    const schemas = JSON.parse(JSON.stringify(rendered.schemas), (_, value) =>
      Array.isArray(value?.type)
        ? { ...value, type: undefined, anyOf: value.type.map((type: string) => ({ type })) }
        : value,
    ) as Record<string, JsonSchema & { $schema: string; $id: string }>;
    const components: Record<string, JsonSchema> = {};
    const parameters = new Map<string, JsonSchema>();
    for (const [name, { $schema: _, $id: __, ...schema }] of Object.entries(schemas).sort(byName)) {
      if (this.#parameters.has(name)) parameters.set(name, schema);
      else components[name] = schema;
    }
    return { components, parameters };
  }
}

function uriOf(name: string): string {
  return `#/components/schemas/${name}`;
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Leaves out what zod adds to formats that everybody knows. */
// biome-ignore lint/suspicious/noExplicitAny: until these schemas are gone
function simplify({ jsonSchema }: { jsonSchema: any }): void {
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
  if (jsonSchema.type !== 'integer') return;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum;
    // By which generators choose the type.
    jsonSchema.format = 'int64';
  }
}
