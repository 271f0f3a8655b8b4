import { Checkbox, TextField } from '../../../components/field.tsx';
import { type CAPPED, type DefaultsDraft, PERIODS } from './defaults-draft.ts';
import styles from './limits.module.css';

const GROUPS = { each_key: 'Each key', each_member: 'Each member', each_service_account: 'Each service account' };
const SPANS = { day: 'per day', week: 'per week', month: 'per month', total: 'in total' };

interface DefaultFieldsProps {
  /** What is below: a key has sessions alone. */
  groups: readonly (typeof CAPPED)[number][];
  draft: DefaultsDraft;
  onChange: (draft: DefaultsDraft) => void;
  isDisabled?: boolean;
}

/** The most that each of what is below may spend. Empty fields set nothing. */
export function DefaultFields({ groups, draft, onChange, isDisabled = false }: DefaultFieldsProps) {
  const fieldOf = (name: string, label: string, placeholder: string) => (
    <TextField
      key={name}
      label={label}
      name={name}
      prefix="$"
      inputMode="decimal"
      placeholder={placeholder}
      isDisabled={isDisabled}
      value={draft[name] ?? ''}
      onChange={(text) => onChange({ ...draft, [name]: text })}
    />
  );
  return (
    <>
      {groups.map((group) => (
        <div key={group} className={styles['caps']}>
          {PERIODS.map((period) => fieldOf(`${group}.${period}`, `${GROUPS[group]} ${SPANS[period]}`, 'No default'))}
        </div>
      ))}
      <div className={styles['caps']}>{fieldOf('each_session', 'Each session', 'No maximum')}</div>
    </>
  );
}

interface ExceedsDefaultsFieldProps {
  isSelected: boolean;
  onChange: (exceeds: boolean) => void;
}

/** Lifts a key, a service account or a member above the defaults. */
export function ExceedsDefaultsField({ isSelected, onChange }: ExceedsDefaultsFieldProps) {
  return (
    <div>
      <Checkbox isSelected={isSelected} onChange={onChange}>
        Its own caps count instead of the defaults above it
      </Checkbox>
      <p className="muted small">
        Without this, a cap above a default is refused. Where it has no cap, defaults still count.
      </p>
    </div>
  );
}
