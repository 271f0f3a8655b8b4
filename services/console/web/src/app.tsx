import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { AccountProvider, mayOpen } from './account/account-context.tsx';
import { lastAccount } from './account/last-account.ts';
import { useRead } from './api/queries.ts';
import { useSession, useSessionQuery } from './api/session.ts';
import { ErrorNote } from './components/note.tsx';
import { SkeletonBlock } from './components/skeleton.tsx';
import { ErrorBoundary } from './layout/error-boundary.tsx';
import { Shell } from './layout/shell.tsx';
import { ExistingAccount } from './pages/existing-account.tsx';
import { NoAccount } from './pages/no-account.tsx';
import { Allowed, NotAMember } from './pages/not-allowed.tsx';
import { NotFound } from './pages/not-found.tsx';
import { Frame } from './pages/sign-in/frame.tsx';
import { ACCOUNT_ROUTES, OPERATOR_ROUTES, type PageRoute, PERSON_ROUTES, PUBLIC_ROUTES, pageOf } from './routes.tsx';

export function App() {
  return (
    <Suspense fallback={null}>
      <Switch>
        {PUBLIC_ROUTES.map(({ path, page: Page }) => (
          <Route key={path} path={path}>
            <Page />
          </Route>
        ))}
        <Route>
          <SignedIn />
        </Route>
      </Switch>
    </Suspense>
  );
}

/** Pages that require a session. Without one the sign-in page opens, and leads back. */
function SignedIn() {
  const session = useSessionQuery();
  const [path] = useLocation();
  if (session.isError && session.data === undefined) {
    return (
      <Frame title="Not available">
        <ErrorNote title="The console could not be loaded." error={session.error} onRetry={session.refetch} />
      </Frame>
    );
  }
  if (session.data === undefined) return null;
  if (session.data === null) {
    const here = path + window.location.search;
    return <Redirect to={here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`} replace />;
  }
  const current = session.data;
  return (
    <Switch>
      <Route path="/accounts/:account_id/*?">
        {({ account_id }) =>
          mayOpen(account_id, current) ? (
            // A new account is a new page: nothing of the previous one stays.
            <AccountProvider key={account_id} accountId={account_id}>
              <Shell>
                <ExistingAccount>
                  <Pages routes={ACCOUNT_ROUTES} base={`/accounts/${account_id}`} />
                </ExistingAccount>
              </Shell>
            </AccountProvider>
          ) : (
            <WithoutAccount />
          )
        }
      </Route>
      <Route>
        <WithoutAccount />
      </Route>
    </Switch>
  );
}

/** Pages outside of the person's accounts; they keep the last one in the rail. Addresses such as `/top-up` lead to its pages. */
function WithoutAccount() {
  const session = useSession();
  const [path] = useLocation();
  const accountId = lastAccount(session);
  const isOperator = session.person.is_operator && session.view_as === null;
  const routes = isOperator ? [...PERSON_ROUTES, ...OPERATOR_ROUTES] : PERSON_ROUTES;
  const isShort = ACCOUNT_ROUTES.some((route) => route.path.replace(/\/:model\?$/, '') === path);
  if (path === '/' || isShort) {
    const page = isShort ? path : '/overview';
    if (accountId !== null) return <Redirect to={`/accounts/${accountId}${page}${window.location.search}`} replace />;
    if (isOperator) return <OnlyAccount page={page} />;
  }
  const pages =
    path === '/' ? <NoAccount /> : path.startsWith('/accounts/') ? <NotAMember /> : <Pages routes={routes} base="" />;
  if (accountId === null) return <Shell>{pages}</Shell>;
  return (
    <AccountProvider key={accountId} accountId={accountId}>
      <Shell>{pages}</Shell>
    </AccountProvider>
  );
}

/** Where an operator starts who has opened no account yet: in the only one, or where they choose one. */
function OnlyAccount({ page }: { page: string }) {
  const accounts = useRead('GET /operator/accounts', { query: { limit: 2 } });
  if (accounts.isPending) return null;
  const [only, another] = accounts.data?.data ?? [];
  const isAlone = only !== undefined && another === undefined;
  return <Redirect to={isAlone ? `/accounts/${only.account_id}${page}` : '/operator/accounts'} replace />;
}

function Pages({ routes, base }: { routes: readonly PageRoute[]; base: string }) {
  const [path] = useLocation();
  return (
    <ErrorBoundary key={pageOf(path)}>
      <Suspense fallback={<SkeletonBlock height={320} />}>
        <Switch>
          {routes.map(({ path, page: Page }) => (
            <Route key={path} path={base + path}>
              <Allowed path={path}>
                <Page />
              </Allowed>
            </Route>
          ))}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
