import type { AccountContext } from '../account/account-context.tsx';
import type { Item } from '../api/client.ts';
import type { Session } from '../api/session.ts';
import { ACCOUNT_PAGES, OPERATOR_PAGES } from './navigation.ts';

export type Found = Item<'GET /accounts/{account_id}/search'>;
export type FoundInAll = Item<'GET /operator/search'>;

export interface PaletteEntry {
  id: string;
  /** What it is: `Page`, `Key`. */
  kind: string;
  title: string;
  subtitle: string;
  /** A page, or what to do. */
  href?: string;
  run?: () => void;
}

interface Actions {
  onHelp: () => void;
  onSignOut: () => void;
}

/** Pages and actions whose title or words start with the text; all without a text. */
export function pageEntries(
  text: string,
  account: AccountContext | null,
  session: Session,
  { onHelp, onSignOut }: Actions,
): PaletteEntry[] {
  const entries: (PaletteEntry & { words?: string | undefined })[] = [];
  if (account !== null) {
    for (const { title, path, roles, words } of ACCOUNT_PAGES) {
      if (roles === undefined || account.is(...roles)) {
        entries.push({ id: `page ${path}`, kind: 'Page', title, subtitle: '', href: account.href(path), words });
      }
    }
    if (account.may('operator', 'owner', 'admin', 'developer')) {
      entries.push(action('Create key', account.href('/keys?new=1'), 'new api'));
      entries.push(action('Find a leaked key', account.href('/keys?leaked=1'), 'revoke delete kill'));
    }
    if (account.may('operator', 'owner', 'admin')) {
      entries.push(action('Create project', account.href('/projects?new=1'), 'new'));
      entries.push(action('Invite member', account.href('/members?invite=1'), 'new person'));
    }
  }
  if (session.person.is_operator && session.view_as === null) {
    for (const { title, path, words } of OPERATOR_PAGES) {
      entries.push({ id: `page ${path}`, kind: 'Page', title, subtitle: 'Operator', href: path, words });
    }
    entries.push(action('Create account', '/operator/accounts?new=1', 'new customer'));
  }
  entries.push({
    id: 'page profile',
    kind: 'Page',
    title: 'Profile',
    subtitle: '',
    href: '/profile',
    words: 'password sessions name',
  });
  entries.push({ id: 'help', kind: 'Action', title: 'Keyboard shortcuts', subtitle: '', run: onHelp, words: 'help' });
  entries.push({
    id: 'sign out',
    kind: 'Action',
    title: 'Sign out',
    subtitle: '',
    run: onSignOut,
    words: 'log out leave',
  });
  return entries.filter(({ title, words }) => matches(text, `${title} ${words ?? ''}`));
}

function action(title: string, href: string, words: string): PaletteEntry & { words: string } {
  return { id: `action ${title}`, kind: 'Action', title, subtitle: '', href, words };
}

/** Each word of the text starts a word of the title. */
export function matches(text: string, title: string): boolean {
  const words = title.toLowerCase().split(/\s+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

/** What the search found. A key also offers its deletion. */
export function foundEntries(results: readonly Found[], account: AccountContext | null): PaletteEntry[] {
  if (account === null) return [];
  return results.flatMap(({ kind, id, title, subtitle }) => {
    const entry = { id: `${kind} ${id}`, title, subtitle };
    switch (kind) {
      case 'key': {
        const href = account.href(`/keys/${encodeURIComponent(id)}`);
        const found: PaletteEntry[] = [{ ...entry, kind: 'Key', href }];
        if (account.may('operator', 'owner', 'admin', 'developer')) {
          found.push({
            ...entry,
            id: `delete ${id}`,
            kind: 'Action',
            title: `Delete key ${title}`,
            href: `${href}?delete=1`,
          });
        }
        return found;
      }
      case 'request':
        return [{ ...entry, kind: 'Request', href: account.href(`/requests/${encodeURIComponent(id)}`) }];
      case 'model':
        return [{ ...entry, kind: 'Model', href: account.href(`/models/${encodeURIComponent(id)}`) }];
      case 'member':
        return [{ ...entry, kind: 'Member', href: account.href(`/members?member=${encodeURIComponent(id)}`) }];
      default:
        return kind satisfies never;
    }
  });
}

/** What an operator's search found in all accounts, without what the search of the account has found. */
export function foundInAllEntries(results: readonly FoundInAll[], known: readonly Found[]): PaletteEntry[] {
  const ids = new Set(known.map(({ id }) => id));
  return results
    .filter(({ id }) => !ids.has(id))
    .flatMap(({ kind, id, account_id, account_name, title, subtitle }) => {
      const base = `/accounts/${account_id}`;
      switch (kind) {
        case 'account':
          return [{ id: `account ${id}`, kind: 'Account', title, subtitle, href: `${base}/overview` }];
        case 'key': {
          const entry = { title, subtitle: `${account_name} ${subtitle}`, href: `${base}/keys/${id}` };
          return [
            { ...entry, id: `key ${id}`, kind: 'Key' },
            {
              ...entry,
              id: `delete ${id}`,
              kind: 'Action',
              title: `Delete key ${title}`,
              href: `${entry.href}?delete=1`,
            },
          ];
        }
        case 'request':
          return [
            { id: `request ${id}`, kind: 'Request', title, subtitle: account_name, href: `${base}/requests/${id}` },
          ];
        default:
          return kind satisfies never;
      }
    });
}
