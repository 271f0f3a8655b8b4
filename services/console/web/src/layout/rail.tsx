import { Link, useLocation } from 'wouter';
import { useAccountIfAny } from '../account/account-context.tsx';
import { useSession } from '../api/session.ts';
import { ACCOUNT_PAGES, type NavigationEntry, OPERATOR_PAGES } from './navigation.ts';
import { OpenLimitRequests } from './open-limit-requests.tsx';
import styles from './shell.module.css';

/** The pages of the account, and below a line the pages of operators. */
export function Rail({ onNavigate }: { onNavigate?: () => void }) {
  const session = useSession();
  const account = useAccountIfAny();
  const showsOperator = session.person.is_operator && session.view_as === null;
  return (
    <>
      <Link href="/" className={styles['brand'] ?? ''} onClick={onNavigate}>
        Tollgate
      </Link>
      {account !== null && (
        <ul>
          {ACCOUNT_PAGES.filter(({ roles }) => roles === undefined || account.is(...roles)).map((entry) => (
            <Entry key={entry.path} entry={entry} href={account.href(entry.path)} onNavigate={onNavigate} />
          ))}
        </ul>
      )}
      {showsOperator && (
        <div className={styles['operator']}>
          <h2>Operator</h2>
          <ul>
            {OPERATOR_PAGES.map((entry) => (
              <Entry key={entry.path} entry={entry} href={entry.path} onNavigate={onNavigate} />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

interface EntryProps {
  entry: NavigationEntry;
  href: string;
  onNavigate: (() => void) | undefined;
}

function Entry({ entry, href, onNavigate }: EntryProps) {
  const [path] = useLocation();
  const isCurrent = path === href || path.startsWith(`${href}/`);
  return (
    <li>
      <Link href={href} aria-current={isCurrent ? 'page' : undefined} onClick={onNavigate}>
        {entry.short ?? entry.title}
        {entry.path === '/limit-requests' && <OpenLimitRequests />}
      </Link>
    </li>
  );
}
