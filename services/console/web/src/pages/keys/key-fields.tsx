import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { ErrorNote } from '../../components/note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { KeyDraft } from './draft.ts';
import styles from './keys.module.css';

interface KeyFieldsProps {
  draft: KeyDraft;
  onChange: (changes: Partial<KeyDraft>) => void;
  /** Developers set caps and limits only when they create a key. */
  mayLimit: boolean;
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

/** Everything of a key but its name. Empty fields set no limit. */
export function KeyFields({ draft, onChange, mayLimit }: KeyFieldsProps) {
  return (
    <>
      <fieldset className="stack" disabled={!mayLimit}>
        <legend className="hidden">Caps and limits</legend>
        <div className={forms['pair']}>
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
      <TextField
        label="Expires"
        name="expires_at"
        type="datetime-local"
        hint="Empty: never. In the time zone of this computer."
        value={draft.expires}
        onChange={(expires) => onChange({ expires })}
      />
      <ModelsField chosen={draft.models} onChange={(models) => onChange({ models })} />
      <TagsField draft={draft} onChange={onChange} />
    </>
  );
}

interface ModelsFieldProps {
  chosen: readonly string[];
  onChange: (models: readonly string[]) => void;
}

/** Lists longer than this have a field to find a model. */
const MAX_PLAIN_MODELS = 12;

function ModelsField({ chosen, onChange }: ModelsFieldProps) {
  const { accountId } = useAccount();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const models = useRead('GET /accounts/{account_id}/models', { path: { account_id: accountId } }, { enabled: isOpen });
  const ids = [...new Set([...chosen, ...(models.data?.data.map(({ model }) => model) ?? [])])].sort();
  const wanted = text.trim().toLowerCase();
  return (
    <fieldset className="stack">
      <legend className="strong">Models</legend>
      <p className="muted small">
        {chosen.length === 0 ? 'All models, also those added later.' : `Only ${chosen.join(', ')}.`}
      </p>
      {!isOpen && (
        <div className={forms['submit']}>
          <Button size="small" onPress={() => setOpen(true)}>
            Choose models
          </Button>
        </div>
      )}
      {isOpen && ids.length > MAX_PLAIN_MODELS && (
        <TextField
          label="Find a model"
          hideLabel
          placeholder="Find a model"
          type="search"
          autoFocus
          value={text}
          onChange={setText}
        />
      )}
      {isOpen && (
        <div className={styles['models']} aria-busy={models.isLoading}>
          {ids
            .filter((id) => id.toLowerCase().includes(wanted))
            .map((id) => (
              <Checkbox
                key={id}
                isSelected={chosen.includes(id)}
                onChange={(isChosen) => onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id))}
              >
                {id}
              </Checkbox>
            ))}
          {models.isLoading && <Skeleton width="20ch" />}
        </div>
      )}
      {models.isError && models.data === undefined && (
        <ErrorNote title="The models could not be loaded." error={models.error} onRetry={models.refetch} />
      )}
    </fieldset>
  );
}

function TagsField({ draft, onChange }: Pick<KeyFieldsProps, 'draft' | 'onChange'>) {
  const change = (at: number, part: Partial<KeyDraft['tags'][number]>) =>
    onChange({ tags: draft.tags.map((tag, index) => (index === at ? { ...tag, ...part } : tag)) });
  return (
    <fieldset className="stack">
      <legend className="strong">Tags</legend>
      <p className="muted small">Recorded on each request of the key, so that spend can be told apart.</p>
      {draft.tags.map((tag, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tags have no other identity while they are edited.
        <div key={index} className={styles['tag']}>
          <TextField
            label={`Name of tag ${index + 1}`}
            hideLabel
            placeholder="team"
            value={tag.name}
            onChange={(name) => change(index, { name })}
          />
          <TextField
            label={`Value of tag ${index + 1}`}
            hideLabel
            placeholder="research"
            value={tag.value}
            onChange={(value) => change(index, { value })}
          />
          <Button
            look="quiet"
            aria-label={`Remove tag ${index + 1}`}
            onPress={() => onChange({ tags: draft.tags.filter((_, at) => at !== index) })}
          >
            Remove
          </Button>
        </div>
      ))}
      {draft.tags.length < 16 && (
        <div className={forms['submit']}>
          <Button size="small" onPress={() => onChange({ tags: [...draft.tags, { name: '', value: '' }] })}>
            Add tag
          </Button>
        </div>
      )}
    </fieldset>
  );
}
