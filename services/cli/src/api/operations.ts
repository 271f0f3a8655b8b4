import type { Api } from '@tollgate/console/api/index';
import { createOpenApiDocument } from '@tollgate/console/openapi/document';
import type { JsonSchema } from '@tollgate/console/openapi/types';
import { isReference, resolve } from './schema.ts';

export type Route = keyof Api;

/** A parameter of an operation, or a field of its body. */
export interface Field {
  name: string;
  place: 'path' | 'query' | 'body';
  required: boolean;
  description: string | undefined;
  schema: JsonSchema;
}

/** An operation of the console's API, as its OpenAPI document describes it. */
export interface Operation {
  route: Route;
  method: string;
  summary: string;
  fields: readonly Field[];
  /** Undefined: it responds with nothing. */
  response: JsonSchema | undefined;
  /** Whether it responds with a file. */
  isExport: boolean;
  /** Whether management keys may call it. */
  programs: boolean;
}

const FILE_TYPES = ['text/csv', 'application/pdf'];

let document: ReturnType<typeof createOpenApiDocument> | undefined;

/** The schemas to which those of operations refer. */
export function components(): Readonly<Record<string, JsonSchema>> {
  document ??= createOpenApiDocument('');
  return document.components.schemas;
}

export function operationOf(route: Route): Operation {
  document ??= createOpenApiDocument('');
  const [method = '', path = ''] = route.split(' ');
  const name = method.toLowerCase() as 'get';
  const described = document.paths[`/api${path}`]?.[name];
  if (described === undefined) throw new Error(`there is no operation ${route}`);
  const body = described.requestBody?.content['application/json']?.schema;
  const { 200: ok } = described.responses;
  const content = ok === undefined || isReference(ok) ? undefined : ok.content;
  return {
    route,
    method,
    summary: described.summary,
    fields: [
      ...described.parameters.map(({ in: place, ...parameter }) => ({
        description: undefined,
        ...parameter,
        place,
      })),
      ...(body === undefined ? [] : bodyFields(body)),
    ],
    response: content?.['application/json']?.schema,
    isExport: FILE_TYPES.some((type) => content?.[type] !== undefined),
    programs: document.paths[`/management/v1${path}`]?.[name] !== undefined,
  };
}

function bodyFields(body: JsonSchema): Field[] {
  const { schema } = resolve(body, components());
  return Object.entries(schema.properties ?? {}).map(([name, given]) => {
    if (typeof given === 'boolean') throw new Error(`the field ${name} has no schema`);
    const required = schema.required?.includes(name) === true;
    return { name, place: 'body', required, description: given.description, schema: given };
  });
}
