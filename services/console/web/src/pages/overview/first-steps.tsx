import { useAccount } from '../../account/account-context.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import { Snippets } from '../keys/created-key.tsx';
import styles from './overview.module.css';

const ALL_MODELS: readonly string[] = [];

/** In the place of charts, until there is a request: the steps to it. */
export function FirstSteps({ hasCredit, hasKey }: { hasCredit: boolean; hasKey: boolean }) {
  const account = useAccount();
  const mayCreate = account.may('operator', 'owner', 'admin', 'developer');
  return (
    <Section title="Make the first request">
      <ol className={styles['steps']}>
        <li>
          <span className="strong">{hasCredit ? '1. Credit the account: done' : '1. Credit the account'}</span>
          {!hasCredit && <Credit />}
        </li>
        <li>
          <span className="strong">{hasKey ? '2. Create a key: done' : '2. Create a key'}</span>
          {mayCreate && (
            <ButtonLink href={`${account.href('/keys')}?new=1`} look={hasCredit && !hasKey ? 'primary' : 'secondary'}>
              {hasKey ? 'Create another key' : 'Create key'}
            </ButtonLink>
          )}
        </li>
        <li>
          <span className="strong">3. Use it in a client</span>
        </li>
      </ol>
      <Snippets secret={null} allowedModels={ALL_MODELS} />
    </Section>
  );
}

/** Operators credit accounts; everybody else asks them. */
function Credit() {
  const account = useAccount();
  if (account.may('operator')) {
    return (
      <ButtonLink href={`${account.href('/top-up')}?credit=1`} look="primary">
        Credit account
      </ButtonLink>
    );
  }
  if (!account.is('owner', 'billing')) return <span className="muted">Ask an owner of the account to top it up.</span>;
  return <ButtonLink href={account.href('/top-up')}>How to top up</ButtonLink>;
}
