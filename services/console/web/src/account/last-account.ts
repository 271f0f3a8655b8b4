import type { Session } from '../api/session.ts';

const NAME = 'tollgate.account';

/** Remembers the account for addresses that name none, such as `/top-up`. */
export function rememberAccount(accountId: string): void {
  try {
    localStorage.setItem(NAME, accountId);
  } catch {
    // Storage is blocked: the first account opens next time.
  }
}

/** The account that was last open, if the person may still see it, or their first. Null: they have none. */
export function lastAccount(session: Session): string | null {
  let last: string | null = null;
  try {
    last = localStorage.getItem(NAME);
  } catch {
    // As in rememberAccount.
  }
  if (session.view_as !== null) return session.view_as.account_id;
  const member = session.memberships.find((each) => each.account_id === last);
  if (member !== undefined) return member.account_id;
  if (session.person.is_operator && last !== null) return last;
  return session.memberships[0]?.account_id ?? null;
}
