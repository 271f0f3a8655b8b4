import { type ComponentType, lazy, type ReactNode } from 'react';

export interface PageRoute {
  path: `/${string}`;
  page: ComponentType;
}

/** A page that is loaded when it is first opened. `name` is its export. */
function page<Name extends string>(load: () => Promise<Record<Name, () => ReactNode>>, name: Name): ComponentType {
  return lazy<() => ReactNode>(async () => {
    const module = await load();
    return { default: module[name] };
  });
}

/** What is one page although it has several addresses: a model opens over the list of models. */
export function pageOf(path: string): string {
  return path.replace(/^(\/accounts\/[^/]+\/models)\/[^/]+$/, '$1');
}

/** Without a session. */
export const PUBLIC_ROUTES: readonly PageRoute[] = [
  { path: '/sign-in', page: page(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage') },
  { path: '/reset', page: page(() => import('./pages/sign-in/reset-page.tsx'), 'ResetPage') },
  { path: '/invitation', page: page(() => import('./pages/sign-in/invitation-page.tsx'), 'InvitationPage') },
];

/** Under `/accounts/{account_id}`. Without it they lead to the account that was last open. */
export const ACCOUNT_ROUTES: readonly PageRoute[] = [
  { path: '/requests', page: page(() => import('./pages/requests/requests-page.tsx'), 'RequestsPage') },
  { path: '/requests/:id', page: page(() => import('./pages/requests/request-page.tsx'), 'RequestPage') },
  { path: '/models/:model?', page: page(() => import('./pages/models/models-page.tsx'), 'ModelsPage') },
  { path: '/playground', page: page(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage') },
  { path: '/overview', page: page(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage') },
  { path: '/keys', page: page(() => import('./pages/keys/keys-page.tsx'), 'KeysPage') },
  { path: '/keys/:key_id', page: page(() => import('./pages/keys/key-page.tsx'), 'KeyPage') },
  { path: '/projects', page: page(() => import('./pages/projects/projects-page.tsx'), 'ProjectsPage') },
  { path: '/projects/:project_id', page: page(() => import('./pages/projects/project-page.tsx'), 'ProjectPage') },
  { path: '/limits', page: page(() => import('./pages/limits/limits-page.tsx'), 'LimitsPage') },
  {
    path: '/limit-requests',
    page: page(() => import('./pages/limit-requests/limit-requests-page.tsx'), 'LimitRequestsPage'),
  },
  { path: '/top-up', page: page(() => import('./pages/top-up/top-up-page.tsx'), 'TopUpPage') },
  { path: '/statements', page: page(() => import('./pages/statements/statements-page.tsx'), 'StatementsPage') },
  { path: '/statements/:month', page: page(() => import('./pages/statements/statement-page.tsx'), 'StatementPage') },
  { path: '/members', page: page(() => import('./pages/members/members-page.tsx'), 'MembersPage') },
  { path: '/audit', page: page(() => import('./pages/audit/audit-page.tsx'), 'AuditPage') },
  { path: '/alerts', page: page(() => import('./pages/alerts/alerts-page.tsx'), 'AlertsPage') },
  {
    path: '/management-keys',
    page: page(() => import('./pages/management-keys/management-keys-page.tsx'), 'ManagementKeysPage'),
  },
  { path: '/settings', page: page(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage') },
];

/** Of the signed-in person. */
export const PERSON_ROUTES: readonly PageRoute[] = [
  { path: '/device', page: page(() => import('./pages/device/device-page.tsx'), 'DevicePage') },
  { path: '/profile', page: page(() => import('./pages/profile/profile-page.tsx'), 'ProfilePage') },
];

/** For operators. */
export const OPERATOR_ROUTES: readonly PageRoute[] = [
  { path: '/operator/accounts', page: page(() => import('./pages/accounts/accounts-page.tsx'), 'AccountsPage') },
  { path: '/operator/providers', page: page(() => import('./pages/providers/providers-page.tsx'), 'ProvidersPage') },
  {
    path: '/operator/providers/:provider/bills',
    page: page(() => import('./pages/providers/bills-page.tsx'), 'BillsPage'),
  },
  { path: '/operator/ledger', page: page(() => import('./pages/ledger/ledger-page.tsx'), 'LedgerPage') },
  { path: '/operator/catalogue', page: page(() => import('./pages/catalogue/catalogue-page.tsx'), 'CataloguePage') },
  { path: '/operator/operators', page: page(() => import('./pages/operators/operators-page.tsx'), 'OperatorsPage') },
  { path: '/operator/audit', page: page(() => import('./pages/audit/operator-audit-page.tsx'), 'OperatorAuditPage') },
];
