import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A part of Kubernetes' OpenAPI description (see extract-api.ts). */
interface Definition {
  $ref?: string | undefined;
  type?: string | undefined;
  format?: string | undefined;
  properties?: Record<string, Definition> | undefined;
  required?: string[] | undefined;
  items?: Definition | undefined;
  additionalProperties?: Definition | undefined;
}

const definition: z.ZodType<Definition> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.string().optional(),
    format: z.string().optional(),
    properties: z.record(z.string(), definition).optional(),
    required: z.array(z.string()).optional(),
    items: definition.optional(),
    additionalProperties: definition.optional(),
  }),
);
const kinds = z.array(z.object({ group: z.string(), version: z.string(), kind: z.string() }));
const file = z.object({
  definitions: z.record(
    z.string(),
    z.intersection(definition, z.object({ 'x-kubernetes-group-version-kind': kinds.optional() })),
  ),
});

const { definitions } = file.parse(JSON.parse(readFileSync(new URL('kubernetes-api.json', import.meta.url), 'utf8')));

/** The definition of a kind such as `apps/v1 Deployment`; undefined if it is not part of Kubernetes. */
function definitionOf(apiVersion: string, kind: string): Definition | undefined {
  const isIt = (each: z.output<typeof kinds>[number]) =>
    each.kind === kind && apiVersion === (each.group === '' ? each.version : `${each.group}/${each.version}`);
  return Object.values(definitions).find((each) => each['x-kubernetes-group-version-kind']?.some(isIt));
}

/**
 * Validates a manifest against the API's description: unknown fields, wrong types and missing fields, with their paths.
 * Undefined for unknown kinds.
 */
export function apiProblems(manifest: { apiVersion: string; kind: string }): string[] | undefined {
  const found = definitionOf(manifest.apiVersion, manifest.kind);
  return found === undefined ? undefined : problemsOf(manifest, found, manifest.kind);
}

function problemsOf(value: unknown, given: Definition, path: string): string[] {
  const own = given.$ref === undefined ? given : definitions[given.$ref.slice('#/definitions/'.length)];
  if (own === undefined) return [`${path}: no definition of ${given.$ref}`];
  if (Array.isArray(value)) {
    const { items } = own;
    if (own.type !== 'array' || items === undefined) return [`${path} is a list`];
    return value.flatMap((each, index) => problemsOf(each, items, `${path}[${index}]`));
  }
  if (typeof value === 'object' && value !== null) return problemsOfObject(value, own, path);
  return isScalarOf(value, own) ? [] : [`${path} is ${JSON.stringify(value)}, not ${own.format ?? own.type}`];
}

function problemsOfObject(value: object, own: Definition, path: string): string[] {
  const { properties, additionalProperties } = own;
  if (own.type !== undefined && own.type !== 'object') return [`${path} is a map, not ${own.type}`];
  const missing = (own.required ?? []).filter((name) => !(name in value)).map((name) => `${path}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, inner]) => {
    const expected = properties?.[name] ?? additionalProperties;
    return expected === undefined ? [`${path}.${name} is unknown`] : problemsOf(inner, expected, `${path}.${name}`);
  });
  return [...missing, ...wrong];
}

/** Null is never a valid value. */
function isScalarOf(value: unknown, { type, format }: Definition): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' || (format === 'int-or-string' && Number.isInteger(value));
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return false;
  }
}
