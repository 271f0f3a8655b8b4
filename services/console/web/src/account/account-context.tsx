import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Output } from '../api/client.ts';
import { type Session, useSession } from '../api/session.ts';
import { rememberAccount } from './last-account.ts';

export type RoleName = NonNullable<Output<'GET /accounts/{account_id}/audit'>['data'][number]['actor']['role']>;

export interface AccountContext {
  accountId: string;
  /** Null: an operator who is not a member; GET /accounts/{account_id} has the name. */
  name: string | null;
  role: RoleName;
  /** While an operator views the account as its members see it, nothing can be changed. */
  readOnly: boolean;
  /** Whether the role is one of these. */
  is(...roles: RoleName[]): boolean;
  /** Whether the role is one of these and something may be changed. */
  may(...roles: RoleName[]): boolean;
  /** The address of a page of this account: `href('/keys')`. */
  href(path: `/${string}`): string;
}

const Context = createContext<AccountContext | null>(null);

/** Null: the person is in no account. Only for what surrounds pages. */
export function useAccountIfAny(): AccountContext | null {
  return useContext(Context);
}

/** The account in the address of this page. */
export function useAccount(): AccountContext {
  const account = useContext(Context);
  if (account === null) throw new Error('this page belongs to an account');
  return account;
}

export function AccountProvider({ accountId, children }: { accountId: string; children: ReactNode }) {
  const session = useSession();
  const value = useMemo(() => accountContext(accountId, session), [accountId, session]);
  rememberAccount(accountId);
  return <Context value={value}>{children}</Context>;
}

export function accountContext(accountId: string, session: Session): AccountContext {
  const membership = session.memberships.find((each) => each.account_id === accountId);
  const viewedAs = session.view_as?.account_id === accountId ? session.view_as : null;
  const role: RoleName =
    viewedAs !== null ? 'owner' : session.person.is_operator ? 'operator' : (membership?.role ?? 'billing');
  const readOnly = session.view_as !== null;
  return {
    accountId,
    name: viewedAs?.account_name ?? membership?.account_name ?? null,
    role,
    readOnly,
    is: (...roles) => roles.includes(role),
    may: (...roles) => !readOnly && roles.includes(role),
    href: (path) => `/accounts/${accountId}${path}`,
  };
}

/** Whether an account is one of the person's. Operators may open all, but while they view one, only that one. */
export function mayOpen(accountId: string, session: Session): boolean {
  if (session.view_as !== null) return session.view_as.account_id === accountId;
  return session.person.is_operator || session.memberships.some((each) => each.account_id === accountId);
}
