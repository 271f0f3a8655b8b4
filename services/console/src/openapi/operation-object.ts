import type { Operation } from '../api/operations.ts';
import { errorsOf } from './errors.ts';
import type { Schemas } from './schemas.ts';
import type { Content, JsonSchema, MediaType, OperationObject, Parameter, ResponseObject } from './types.ts';

/** Where operations are served, and how callers identify themselves there. */
export interface Prefix {
  path: string;
  /** Its security scheme. */
  scheme: 'managementKey' | 'session';
  serves: (operation: { programs: boolean }) => boolean;
  operationId: (id: string) => string;
}

/** Describes an operation under a prefix. */
export function describeOperation(operation: Operation, prefix: Prefix, schemas: Schemas): OperationObject {
  const { id, summary, access, tag, inPath, inQuery, inBody, bodyDescription, method } = operation;
  const body = inBody && schemas.add(`${titleOf(id)}Request`, schemas.request(inBody, bodyDescription));
  return {
    operationId: prefix.operationId(id),
    summary,
    description: describeAccess(access),
    tags: [tag],
    ...(typeof access === 'string' ? {} : { 'x-roles': access }),
    security: access === 'anyone' ? [{}, { [prefix.scheme]: [] }] : [{ [prefix.scheme]: [] }],
    parameters: [
      ...parametersOf('path', schemas.properties(inPath)),
      ...parametersOf('query', schemas.properties(inQuery), schemas.request(inQuery, '').required),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...success(operation, schemas),
      ...errorsOf({ access, method, hasBody: inBody !== undefined, hasIds: inPath.length > 0 }, prefix.scheme),
    },
  };
}

function titleOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
}

function describeAccess(access: Operation['access']): string {
  if (access === 'anyone') return 'For everybody, also without a session.';
  if (access === 'person') return 'For every signed-in person.';
  return `Roles: ${access.join(', ')}.`;
}

/** @param required undefined: none, but all parameters of a path */
function parametersOf(
  place: 'path' | 'query',
  schemas: Record<string, JsonSchema>,
  required: readonly string[] = [],
): Parameter[] {
  return Object.entries(schemas).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function success({ isEmpty, contentTypes, rpc, result }: Operation, schemas: Schemas): Record<string, ResponseObject> {
  if (isEmpty) return { 204: { description: 'Success.' } };
  const schema = () => (result === undefined ? schemas.message(rpc.output, 'response') : schemas.field(result));
  if (contentTypes.length === 0)
    return { 200: { description: 'Success.', content: { 'application/json': { schema: schema() } } } };
  const content: Content = {};
  for (const type of contentTypes) content[type] = streamed(type, schema);
  return { 200: { description: 'Success, streamed.', content } };
}

/** A schema of OpenAPI 3.1 is one of the whole body; of lines and events an extension has one of each. */
function streamed(type: string, schema: () => JsonSchema): MediaType {
  switch (type) {
    case 'text/csv':
      return { schema: { type: 'string' } };
    case 'application/pdf':
      return { schema: { type: 'string', format: 'binary' } };
    default:
      return { schema: { type: 'string' }, 'x-item-schema': schema() };
  }
}
