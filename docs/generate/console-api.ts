import { ROLE_NAMES } from '@tollgate/common/actors/roles';
import { createOpenApiDocument } from '@tollgate/console/openapi/document';
import type { OperationObject } from '@tollgate/console/openapi/types';

const HEAD = `# The console's API

<!-- Generated from the operations of the proto files by \`make docs\`. -->

What the console's pages do, programs do with a management key: the same operations under \`/management/v1\`, at the address
of the console.

\`\`\`sh
curl https://console.example.com/management/v1/accounts/$ACCOUNT/keys -H "Authorization: Bearer $MANAGEMENT_KEY"
\`\`\`

Owners create management keys of their account, and operators keys for all accounts. A key has a name, a role and an expiry of
at most 366 days; its value is shown once. An ingress does not accept it, and the console accepts no API key. A deleted key
stops working within a minute.

## OpenAPI

The console describes all operations, with their parameters, bodies, responses and roles, in an OpenAPI 3.1 document:

\`\`\`sh
curl https://console.example.com/openapi.json -o tollgate-console.json
\`\`\`

It needs no key, and names the console's own address as its server. \`operationId\` is unique: \`listKeys\` is for programs,
\`webListKeys\` is the web app's, with the session of a person. \`x-roles\` lists the roles. Responses may
get further fields; a client must ignore those that it does not know.

## Conventions

- **Money** is decimal text in US dollars with at most nine decimals, **times** are RFC 3339.
- **Lists** return \`next_cursor\`; send it as \`cursor\` for the next page. Null: the last page. A page may have fewer items than
  \`limit\`, even none, before the last one; \`searched_to\` says how far back a list of requests has searched.
- **Ranges** have a \`start\`, inclusive, and an \`end\`, exclusive: at most 31 days for hourly sums, 366 days otherwise.
- **Errors** are \`{"error": {"code", "message", "field"}}\`. \`field\` names the parameter at fault: \`limits.open_requests\`.
- **Exports** are CSV (RFC 4180), or one JSON object a line. A cell that a spreadsheet would run as a formula begins with an
  apostrophe. An export has at most 1,000,000 rows, takes at most 10 minutes, and must be read at 1 MiB a minute or faster;
  else the connection is reset before its end. At each console one person or management key runs at most 2 exports, one account 4, all
  together 10; more get 429. Exports of requests have the last columns \`upstream_cost\`, \`base_cost\` and \`margin\` for
  operators alone.

## Operations

By the roles that may call them; those in parentheses are for people, not for programs. The document says what each does. The services
check roles again, and more where it depends on the object: developers see and change the keys they made, with their requests, and
admins do not change owners.
`;

/** Renders docs/reference/console-api.md: how programs call the console, and its operations by role. */
export function renderConsoleApi(): string {
  const groups = Map.groupBy(operations(), ({ roles }) => roles);
  const rows = [...groups].map(([roles, members]) => `| ${roles} | ${members.map(({ name }) => name).join(', ')} |\n`);
  return `${HEAD}
| roles | operations |
|---|---|
${rows.join('')}`;
}

/** An operation that depends on a role, as the page names it. */
interface NamedOperation {
  name: string;
  roles: string;
}

function operations(): NamedOperation[] {
  const { paths } = createOpenApiDocument('https://console.example.com');
  const found: NamedOperation[] = [];
  for (const [address, item] of Object.entries(paths)) {
    if (!address.startsWith('/api/')) continue;
    const path = address.slice('/api'.length);
    const ofPrograms = new Map(Object.entries(paths[`/management/v1${path}`] ?? {}));
    for (const [method, { 'x-roles': roles }] of Object.entries<OperationObject>(item)) {
      if (roles === undefined) continue;
      const route = `\`${method.toUpperCase()} ${path}\``;
      found.push({ name: ofPrograms.has(method) ? route : `(${route})`, roles: nameOf(roles) });
    }
  }
  return found;
}

function nameOf(roles: readonly string[]): string {
  return roles.length === ROLE_NAMES.length ? 'all' : roles.join(', ');
}
