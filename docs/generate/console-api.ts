import { ROLE_NAMES } from '@tollgate/common/actors/roles';
import { operations } from '@tollgate/console/api/index';
import type { Operation } from '@tollgate/console/api/operation';

const HEAD = `# The console's API

<!-- Generated from the table of operations in services/console/src/api by \`make docs\`. -->

What the console's pages do, programs do with a management key: the same operations under \`/management/v1\`, at the address
of the console.

\`\`\`sh
curl https://console.example.com/management/v1/accounts/$ACCOUNT/keys -H "Authorization: Bearer $MANAGEMENT_KEY"
\`\`\`

Owners create management keys of their account, and operators keys for all accounts. A key has a name, a role and an expiry of
at most 366 days; its value is shown once. An ingress does not accept it, and the console accepts no API key. A deleted key
stops working within a minute.

- **Money** is decimal text in US dollars with at most nine decimals, **times** are RFC 3339.
- **Lists** return \`next_cursor\`; send it as \`cursor\` for the next page. Null: the last page. A page may have fewer items than
  \`limit\`, even none, before the last one; \`searched_to\` says how far back a list of requests has searched.
- **Ranges** have a \`start\`, inclusive, and an \`end\`, exclusive: at most 31 days for hourly sums, 366 days otherwise.
- **Errors** are \`{"error": {"code", "message", "field"}}\`. \`field\` names the parameter at fault: \`limits.open_requests\`.
- **Exports** are CSV (RFC 4180), or one JSON object a line. A cell that a spreadsheet would run as a formula begins with an
  apostrophe. An export has at most 1,000,000 rows and takes at most 10 minutes; beyond, the connection is closed before its
  end, so that nobody takes a part for the whole.

## Operations

Which roles may call what; in parentheses: people only, no programs. The services check it again, and more where it depends on
the object: developers see and change the keys they made, with their requests, and admins do not change owners.
`;

const SHORT = { operator: 'operator', owner: 'owner', admin: 'admin', developer: 'dev.', billing: 'billing' } as const;

/** Renders docs/reference/console-api.md: how programs call the console, and a table of its operations and roles. */
export function renderConsoleApi(): string {
  const heads = ROLE_NAMES.map((role) => ` ${SHORT[role]} |`).join('');
  const rows = Object.entries<Operation>(operations).flatMap(([route, operation]) => renderRow(route, operation));
  return `${HEAD}
| operation | what it does |${heads}
|---|---|${ROLE_NAMES.map(() => ':-:|').join('')}
${rows.join('')}`;
}

function renderRow(route: string, { access, programs, summary }: Operation): string[] {
  if (typeof access === 'string') return [];
  const mark = programs ? '✓' : '(✓)';
  const cells = ROLE_NAMES.map((role) => ` ${access.includes(role) ? mark : ''} |`).join('');
  return [`| \`${route}\` | ${summary} |${cells}\n`];
}
