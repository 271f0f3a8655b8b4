import { TextField } from '../../../components/field.tsx';
import forms from '../../../components/forms.module.css';
import type { LimitsDraft } from './draft.ts';
import styles from './limits.module.css';
import { ModelsField } from './models-field.tsx';

interface LimitFieldsProps {
  draft: LimitsDraft;
  onChange: (changes: Partial<LimitsDraft>) => void;
  /** Developers set caps and limits only when they create a key. */
  mayLimit: boolean;
  /** The project default does not end. */
  mayEnd?: boolean;
}

const LIMITS = [
  { field: 'requestsPerMinute', name: 'limits.requests_per_minute', label: 'Requests per minute' },
  { field: 'tokensPerMinute', name: 'limits.tokens_per_minute', label: 'Tokens per minute' },
  { field: 'openRequests', name: 'limits.open_requests', label: 'Open requests' },
] as const;

const CAPS = [
  { field: 'capDay', name: 'caps.day', label: 'Cap per day' },
  { field: 'capWeek', name: 'caps.week', label: 'Cap per week' },
  { field: 'capMonth', name: 'caps.month', label: 'Cap per month' },
  { field: 'capTotal', name: 'caps.total', label: 'Cap in total' },
] as const;

/** Names of the fields, which show their own errors. */
export const LIMIT_FIELDS: readonly string[] = ['expires_at', ...[...LIMITS, ...CAPS].map(({ name }) => name)];

/** Caps, limits, end and models. Empty fields set no limit. */
export function LimitFields({ draft, onChange, mayLimit, mayEnd = true }: LimitFieldsProps) {
  return (
    <>
      <fieldset className="stack" disabled={!mayLimit}>
        <legend className="hidden">Caps and limits</legend>
        <div className={styles['caps']}>
          {CAPS.map(({ field, name, label }) => (
            <TextField
              key={field}
              label={label}
              name={name}
              prefix="$"
              inputMode="decimal"
              placeholder="No cap"
              isDisabled={!mayLimit}
              value={draft[field]}
              onChange={(value) => onChange({ [field]: value })}
            />
          ))}
        </div>
        <div className={forms['pair']}>
          {LIMITS.map(({ field, name, label }) => (
            <TextField
              key={field}
              label={label}
              name={name}
              inputMode="numeric"
              placeholder="No limit"
              isDisabled={!mayLimit}
              value={draft[field]}
              onChange={(value) => onChange({ [field]: value })}
            />
          ))}
        </div>
        <p className="muted small">
          {mayLimit
            ? 'Days, weeks and months of caps are in UTC. A request that could exceed a cap is refused before it costs anything.'
            : 'Owners and admins change caps and limits.'}
        </p>
      </fieldset>
      {mayEnd && (
        <TextField
          label="Expires"
          name="expires_at"
          type="datetime-local"
          hint="Empty: never. In the time zone of this computer."
          value={draft.expires}
          onChange={(expires) => onChange({ expires })}
        />
      )}
      <ModelsField chosen={draft.models} onChange={(models) => onChange({ models })} />
    </>
  );
}
