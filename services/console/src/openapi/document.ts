import { OPERATIONS } from '../api/operations.ts';
import { sessionCookieName } from '../sessions/cookie-name.ts';
import { renderErrors } from './errors.ts';
import { describeOperation, type Prefix } from './operation-object.ts';
import { Schemas } from './schemas.ts';
import type { Method, OpenApiDocument, SecurityScheme } from './types.ts';

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

/** The groups of operations, in their order. */
const TAGS = {
  'Sign-in': "Signing in and out, invitations, password resets, and a person's own settings.",
  Accounts: 'One account, its money and its usage.',
  Payments: 'Paying in by card, the payments that were made, and saved cards.',
  Keys: 'API keys of an account. Developers see and change the keys that they made.',
  Projects:
    'Projects of an account, with service accounts and members who own keys. Their limits apply to all keys below them.',
  'Limit requests':
    'Who asked for higher limits of keys, projects and sessions, and the answers. Developers see their own.',
  Requests: 'Requests of an account, paid and refused. Developers see those of the keys they made.',
  Models: 'The catalogue as an account sees it, and the playground.',
  Members: 'Members and invitations of an account.',
  'Management keys': 'Keys of programs that manage an account. Only people make and delete them.',
  'Audit log': 'Who did what in an account.',
  Operators: 'Everything for the people who run the gateway.',
} as const;

/** Describes the console's API by the operations of the proto files: an OpenAPI 3.1 document. */
export function createOpenApiDocument(consoleUrl: string): OpenApiDocument {
  const schemas = new Schemas();
  const responses = renderErrors(schemas);
  const paths: OpenApiDocument['paths'] = {};
  for (const prefix of PREFIXES) {
    for (const tag of Object.keys(TAGS)) {
      for (const operation of OPERATIONS) {
        if (operation.tag !== tag || !prefix.serves(operation)) continue;
        const address = `${prefix.path}${operation.path}`;
        const method = operation.method.toLowerCase() as Method;
        paths[address] = { ...paths[address], [method]: describeOperation(operation, prefix, schemas) };
      }
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
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.render(),
      responses,
      securitySchemes: securitySchemes(consoleUrl),
    },
  };
}

function securitySchemes(consoleUrl: string): Record<Prefix['scheme'], SecurityScheme> {
  return {
    managementKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'mk-…',
      description: 'A management key. Owners create those of their account in the console, and operators those of all.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(consoleUrl),
      description: `Set by \`POST /api/session\`, and by signing in at \`/api/oidc/start\` in a browser; the command line sends its own session as a bearer token. A request that is not GET or HEAD must come from a page of the console, else it is refused with 403: \`Origin\` is \`${consoleUrl}\`, and \`Sec-Fetch-Site\`, where it is sent, is \`same-origin\`.`,
    },
  };
}
