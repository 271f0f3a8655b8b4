import type { RoleName } from '../account/account-context.tsx';

export interface NavigationEntry {
  title: string;
  /** In the rail, where its group says the rest. */
  short?: string;
  path: `/${string}`;
  /** Undefined: all. */
  roles?: readonly RoleName[];
  /** More words that find it in the palette. */
  words?: string;
}

const MANAGERS = ['operator', 'owner', 'admin'] as const;
const OWNERS = ['operator', 'owner'] as const;
const PAYERS = ['operator', 'owner', 'billing'] as const;
const CALLERS = ['operator', 'owner', 'admin', 'developer'] as const;

/** Pages of an account, as in the rail. */
export const ACCOUNT_PAGES: readonly NavigationEntry[] = [
  { title: 'Overview', path: '/overview', words: 'balance spend usage forecast' },
  { title: 'Keys', path: '/keys', roles: CALLERS, words: 'api key create leaked' },
  { title: 'Projects', path: '/projects', roles: CALLERS, words: 'teams service caps limits' },
  { title: 'Limits', path: '/limits', roles: MANAGERS, words: 'tree caps budgets spent forecast' },
  { title: 'Limit requests', path: '/limit-requests', roles: CALLERS, words: 'ask for more grant decline raise cap' },
  { title: 'Requests', path: '/requests', words: 'calls refused trace bill' },
  { title: 'Models', path: '/models', words: 'prices' },
  { title: 'Playground', path: '/playground', roles: CALLERS, words: 'chat try' },
  { title: 'Top up', path: '/top-up', roles: PAYERS, words: 'deposit credit pay balance' },
  { title: 'Statements', path: '/statements', roles: PAYERS, words: 'monthly invoice bill pdf csv' },
  { title: 'Alerts', path: '/alerts', roles: PAYERS, words: 'thresholds low balance' },
  { title: 'Members', path: '/members', roles: MANAGERS, words: 'people invite roles' },
  { title: 'Management keys', path: '/management-keys', roles: OWNERS, words: 'api programs automation' },
  { title: 'Audit log', path: '/audit', roles: OWNERS, words: 'history who' },
  { title: 'Settings', path: '/settings', words: 'account name limits discount suspend' },
];

/** Pages for operators. */
export const OPERATOR_PAGES: readonly NavigationEntry[] = [
  { title: 'Accounts', path: '/operator/accounts', words: 'customers create suspend' },
  { title: 'Providers', path: '/operator/providers', words: 'deployments health errors' },
  { title: 'Ledger', path: '/operator/ledger', words: 'loss quarantine reconciliation ingresses lag' },
  { title: 'Catalogue', path: '/operator/catalogue', words: 'models prices compare diff' },
  { title: 'Operators', path: '/operator/operators', words: 'people invite' },
  { title: 'Audit log of all accounts', short: 'Audit log', path: '/operator/audit', words: 'history who' },
];

/** The entry of a page of an account, or of the list that it belongs to: `/keys/:key_id` belongs to `/keys`. */
export function accountPageOf(path: string): NavigationEntry | undefined {
  return ACCOUNT_PAGES.find((entry) => path === entry.path || path.startsWith(`${entry.path}/`));
}
