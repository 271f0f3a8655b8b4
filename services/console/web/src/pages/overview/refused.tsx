import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { Nothing } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { count } from '../../format/number.ts';
import styles from './overview.module.css';
import type { Overview } from './overview-page.tsx';

/** Refused requests by reason, with what to do about it. */
export function Refused({ refused }: { refused: Overview['refused'] }) {
  const { href } = useAccount();
  const total = refused.reduce((sum, each) => sum + each.count, 0);
  return (
    <Section
      title={`Refused: ${count(total)}`}
      actions={total > 0 && <Link href={`${href('/requests')}?status=refused`}>Show</Link>}
    >
      {total === 0 ? (
        <Nothing>No request was refused.</Nothing>
      ) : (
        <ul className={styles['refused']}>
          {refused.map(({ reason, label, sentence, action, count: times }) => (
            <li key={reason} data-tip={`${sentence} ${action}`}>
              <span className="strong">{count(times)}</span>
              <span>{label}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
