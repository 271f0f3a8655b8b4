import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { roleLabel } from '../../account/roles.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Time } from '../../components/time.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { actionTitle } from './actions.ts';
import styles from './audit.module.css';
import { type AuditEntry, Target, VIA } from './audit-log.tsx';

/** An entry with all it records, and the way to others like it. */
export function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const [, setParams] = useSearchParams();
  const { actor } = entry;
  const filter = (name: string, value: string) => {
    setParams({ [name]: value });
    onClose();
  };
  return (
    <Dialog title={actionTitle(entry.action)} isOpen onClose={onClose} size="wide">
      <dl className={styles['facts']}>
        <Fact label="Time">
          <Time value={entry.created_at} exact />
        </Fact>
        <Fact label="By">
          {actor.name}{' '}
          <span className="muted">
            ({actor.role === null ? '' : `${roleLabel(actor.role).toLowerCase()}, `}
            {VIA[actor.via].toLowerCase()})
          </span>
        </Fact>
        {entry.account_id !== null && entry.account_name !== undefined && (
          <Fact label="Account">
            <Link href={`/accounts/${entry.account_id}/overview`}>{entry.account_name ?? entry.account_id}</Link>
          </Fact>
        )}
        <Fact label="Target">
          {entry.target_name !== '' && <Target entry={entry} />}{' '}
          <span className="row">
            <code className="muted">{entry.target_id}</code>
            <CopyButton text={entry.target_id} what="id of the target" />
          </span>
        </Fact>
        <Fact label="Action">
          <code>{entry.action}</code>
        </Fact>
        {Object.entries(entry.details).map(([name, value]) => (
          <Fact key={name} label={detailTitle(name)}>
            {value}
          </Fact>
        ))}
      </dl>
      <DialogActions>
        {entry.account_id !== null && entry.account_name !== undefined && (
          <Button onPress={() => filter('account', entry.account_id ?? '')}>Only this account</Button>
        )}
        {actor.id !== '' && <Button onPress={() => filter('actor', actor.id)}>Only by {actor.name}</Button>}
        {entry.target_id !== '' && <Button onPress={() => filter('target', entry.target_id)}>Only this target</Button>}
      </DialogActions>
    </Dialog>
  );
}

function detailTitle(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
