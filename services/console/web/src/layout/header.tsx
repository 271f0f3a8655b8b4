import { useState } from 'react';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import { Link } from 'wouter';
import { type AccountContext, useAccountIfAny } from '../account/account-context.tsx';
import { useRead } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { MenuIcon, SearchIcon } from '../components/icons.tsx';
import { Money } from '../components/money.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { AccountSwitcher } from './account-switcher.tsx';
import { PersonMenu } from './person-menu.tsx';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { COMMAND_K } from './shortcuts.ts';

interface HeaderProps {
  onSearch: () => void;
  onHelp: () => void;
}

export function Header({ onSearch, onHelp }: HeaderProps) {
  const [menu, setMenu] = useState(false);
  const account = useAccountIfAny();
  return (
    <header className={styles['header']}>
      <span className={styles['menu']}>
        <Button look="quiet" aria-label="Pages" onPress={() => setMenu(true)}>
          <MenuIcon />
        </Button>
      </span>
      <ModalOverlay isOpen={menu} onOpenChange={setMenu} isDismissable className={styles['scrim'] ?? ''}>
        <Modal className={styles['drawer'] ?? ''}>
          <AriaDialog aria-label="Pages" className={styles['rail'] ?? ''}>
            <Rail onNavigate={() => setMenu(false)} />
          </AriaDialog>
        </Modal>
      </ModalOverlay>
      <AccountSwitcher onFind={onSearch} />
      <span className={styles['fill']} />
      <Button look="quiet" onPress={onSearch}>
        <SearchIcon />
        <span className={styles['wide']}>Search</span>
        <kbd className={styles['keys']}>{COMMAND_K}</kbd>
      </Button>
      {account !== null && <BalanceLink account={account} />}
      <PersonMenu onHelp={onHelp} />
    </header>
  );
}

/** What the account can spend, on every page. It leads to Top up those who may see deposits. */
function BalanceLink({ account: { accountId, is, href } }: { account: AccountContext }) {
  const page = is('operator', 'owner', 'billing') ? '/top-up' : '/overview';
  const balance = useRead(
    'GET /accounts/{account_id}/balance',
    { path: { account_id: accountId } },
    { refetchInterval: 15_000 },
  );
  const owes = balance.data?.suspended ?? false;
  if (balance.isError && balance.data === undefined) return null;
  return (
    <Link href={href(page)} className={styles['balance'] ?? ''} data-owes={owes}>
      {balance.data === undefined ? (
        <>
          <span className="hidden">Balance</span>
          <Skeleton width="9ch" />
        </>
      ) : owes ? (
        <>
          <Money value={balance.data.owed} /> owed
        </>
      ) : (
        <>
          <Money value={balance.data.available} /> <span className={styles['wide']}>left</span>
        </>
      )}
    </Link>
  );
}
