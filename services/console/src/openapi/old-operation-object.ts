import { type Access, type Operation, StreamedResponse } from '../api/operation.ts';
import { errorsOf } from './errors.ts';
import type { Schemas } from './old-schemas.ts';
import type { Content, JsonSchema, OperationObject, Parameter, Reference, ResponseObject } from './types.ts';

/** Where operations are served, and how callers identify themselves there. */
export interface Prefix {
  path: string;
  /** Its security scheme. */
  scheme: 'managementKey' | 'session';
  serves: (operation: Operation) => boolean;
  operationId: (id: string) => string;
}

/** The names of an operation's schemas. */
export interface Names {
  path: string;
  query: string;
  body: Reference | undefined;
  /** By content type; undefined: text without a schema. */
  response: Readonly<Record<string, Reference | undefined>>;
}

/** Adds the schemas of an operation to those of the document. */
export function addSchemas(schemas: Schemas, { id, path, query, body, response }: Operation): Names {
  const title = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  const items =
    response instanceof StreamedResponse ? response.items : response === null ? {} : { 'application/json': response };
  return {
    path: schemas.addParameters(path, `${title}Path`),
    query: schemas.addParameters(query, `${title}Query`),
    body: body === null ? undefined : schemas.add(body, `${title}Request`),
    response: Object.fromEntries(
      Object.entries(items).map(([type, schema]) => [
        type,
        schema === null ? undefined : schemas.add(schema, `${title}Response`),
      ]),
    ),
  };
}

/** Describes an operation under a prefix. */
export function describeOperation(
  operation: Operation,
  {
    prefix,
    method,
    tag,
    names,
    parameters,
  }: { prefix: Prefix; method: string; tag: string; names: Names; parameters: ReadonlyMap<string, JsonSchema> },
): OperationObject {
  const { id, summary, access } = operation;
  return {
    operationId: prefix.operationId(id),
    summary,
    description: describeAccess(access),
    tags: [tag],
    ...(typeof access === 'string' ? {} : { 'x-roles': access }),
    security: access === 'anyone' ? [{}, { [prefix.scheme]: [] }] : [{ [prefix.scheme]: [] }],
    parameters: [
      ...parametersOf('path', parameters.get(names.path)),
      ...parametersOf('query', parameters.get(names.query)),
    ],
    ...(names.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: names.body } } } }),
    responses: {
      ...success(operation, names),
      ...errorsOf(
        {
          access: operation.access,
          method,
          hasBody: operation.body !== null,
          hasIds: Object.keys(operation.path.shape).length > 0,
        },
        prefix.scheme,
      ),
    },
  };
}

function describeAccess(access: Access): string {
  if (access === 'anyone') return 'For everybody, also without a session.';
  if (access === 'person') return 'For every signed-in person.';
  return `Roles: ${access.join(', ')}.`;
}

function parametersOf(place: 'path' | 'query', schema: JsonSchema | undefined): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, given]) => {
    if (typeof given === 'boolean') throw new Error(`the parameter ${name} has no schema`);
    const { description, ...rest } = given;
    return {
      name,
      in: place,
      required: schema?.required?.includes(name) === true,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function success({ response }: Operation, names: Names): Record<string, ResponseObject> {
  if (response === null) return { 204: { description: 'Success.' } };
  const isStreamed = response instanceof StreamedResponse;
  const content: Content = {};
  for (const [type, item] of Object.entries(names.response)) {
    if (!isStreamed && item !== undefined) content[type] = { schema: item };
    // A schema of OpenAPI 3.1 is one of the whole body.
    else content[type] = { schema: { type: 'string' }, ...(item === undefined ? {} : { 'x-item-schema': item }) };
  }
  return { 200: { description: isStreamed ? 'Success, streamed.' : 'Success.', content } };
}
