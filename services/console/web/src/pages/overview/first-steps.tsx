import { useAccount } from '../../account/account-context.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import { Snippets } from '../keys/created-key.tsx';
import styles from './overview.module.css';

const ALL_MODELS: readonly string[] = [];

/** In the place of charts, until there is a request: the two steps to it. */
export function FirstSteps({ hasKey }: { hasKey: boolean }) {
  const account = useAccount();
  const mayCreate = account.may('operator', 'owner', 'admin', 'developer');
  return (
    <Section title="Make the first request">
      <ol className={styles['steps']}>
        <li>
          <span className="strong">{hasKey ? '1. Create a key: done' : '1. Create a key'}</span>
          {mayCreate && (
            <ButtonLink href={`${account.href('/keys')}?new=1`} look={hasKey ? 'secondary' : 'primary'}>
              {hasKey ? 'Create another key' : 'Create key'}
            </ButtonLink>
          )}
        </li>
        <li>
          <span className="strong">2. Use it in a client</span>
        </li>
      </ol>
      <Snippets secret={null} allowedModels={ALL_MODELS} />
    </Section>
  );
}
