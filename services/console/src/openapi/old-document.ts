import { operationGroups } from '../api/index.ts';
import { addSchemas, describeOperation, type Prefix } from './old-operation-object.ts';
import { Schemas } from './old-schemas.ts';
import type { Method, OpenApiDocument } from './types.ts';

const PREFIXES: readonly Prefix[] = [
  {
    path: '/management/v1',
    scheme: 'managementKey',
    serves: ({ programs }) => programs,
    operationId: (id) => id,
  },
  {
    path: '/api',
    scheme: 'session',
    serves: () => true,
    operationId: (id) => `web${id.charAt(0).toUpperCase()}${id.slice(1)}`,
  },
];

const DESCRIPTION = `Accounts, keys, money, requests and members of Tollgate.

Programs call \`/management/v1\` with a management key. The web app calls \`/api\` with the session of a person; these operations
change with the web app. Both are the same operations; \`x-roles\` lists the roles that may call one.

Responses may get further fields: ignore those that you do not know. Every response has a header \`x-trace-id\`, by which the
operator finds it. \`x-item-schema\` is the schema of one line or event of a streamed response.`;

/** Describes the console's API by its table of operations: an OpenAPI 3.1 document. */
export function createOldDocument(consoleUrl: string): OpenApiDocument {
  const schemas = new Schemas();
  const entries = operationGroups.flatMap(({ name: tag, operations }) =>
    Object.entries(operations).map(([route, operation]) => {
      const [method = '', path = ''] = route.split(' ');
      return { method, path, operation, tag, names: addSchemas(schemas, operation) };
    }),
  );
  const { components, parameters } = schemas.render();
  const paths: OpenApiDocument['paths'] = {};
  for (const prefix of PREFIXES) {
    for (const { path, operation, ...rest } of entries) {
      if (!prefix.serves(operation)) continue;
      const address = `${prefix.path}${path}`;
      const described = describeOperation(operation, { prefix, parameters, ...rest });
      paths[address] = { ...paths[address], [rest.method.toLowerCase() as Method]: described };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tollgate console',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: consoleUrl }],
    tags: operationGroups.map(({ name, description }) => ({ name, description })),
    paths,
    components: { schemas: components, responses: {}, securitySchemes: {} as never },
  };
}
