import { mkdirSync, writeFileSync } from 'node:fs';
import { createOpenApiDocument } from '../src/openapi/document.ts';
import type { JsonSchema, OperationObject, Parameter } from '../src/openapi/types.ts';

/**
 * Writes the types of the management API for TypeScript clients, from its OpenAPI document: `Api`, by route, and an interface
 * for each schema.
 */
const document = createOpenApiDocument('https://console.example.com');
const folder = new URL('../../../proto/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('api-types.ts', folder), render());

function render(): string {
  const schemas = Object.entries(document.components.schemas);
  return `/** Types of the management API, by its OpenAPI document. */
${schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`).join('')}
/** What a client sends and receives, by route. */
export interface Api {
${renderOperations()}}
`;
}

function renderOperations(): string {
  return Object.entries(document.paths)
    .filter(([address]) => address.startsWith('/api/'))
    .flatMap(([address, item]) =>
      Object.entries(item).map(([method, operation]) =>
        renderOperation(`${method.toUpperCase()} ${address.slice('/api'.length)}`, operation),
      ),
    )
    .join('');
}

function renderOperation(route: string, operation: OperationObject): string {
  const { operationId, parameters, requestBody, responses } = operation;
  const id = `${operationId.charAt('web'.length).toLowerCase()}${operationId.slice('web'.length + 1)}`;
  const partOf = (place: Parameter['in']) => renderParameters(parameters.filter((each) => each.in === place));
  const body = requestBody?.content['application/json']?.schema;
  const { 200: success } = responses;
  const response =
    success !== undefined && 'content' in success ? success.content?.['application/json']?.schema : undefined;
  return `  '${route}': {
    id: '${id}';
    access: '${accessTo(operation)}';
    path: ${partOf('path')};
    query: ${partOf('query')};
    body: ${body === undefined ? 'undefined' : typeOf(body)};
    response: ${response === undefined ? 'undefined' : typeOf(response)};
  };
`;
}

function accessTo({ 'x-roles': roles, security }: OperationObject): string {
  if (roles !== undefined) return 'roles';
  return security.some((each) => Object.keys(each).length === 0) ? 'anyone' : 'person';
}

function renderParameters(parameters: readonly Parameter[]): string {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return parameters.length === 0 ? 'Record<string, never>' : typeOf({ type: 'object', properties, required });
}

function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, oneOf, enum: values, const: only } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  const options = anyOf ?? oneOf;
  if (options !== undefined) return options.map(typeOf).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    case undefined:
      return 'unknown';
    default:
      return schema.type satisfies never;
  }
}

/** Absent fields may be undefined, as JSON.stringify leaves those out. */
function objectType({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (properties === undefined) {
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
  }
  const fields = Object.entries(properties).map(([name, schema]) =>
    required.includes(name) ? `${name}: ${typeOf(schema)}` : `${name}?: ${typeOf(schema)} | undefined`,
  );
  return `{ ${fields.join('; ')} }`;
}
