import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { DefaultFields, ExceedsDefaultsField } from '../shared/limits/default-fields.tsx';
import { LimitFields } from '../shared/limits/limit-fields.tsx';
import type { KeyDraft } from './draft.ts';
import styles from './keys.module.css';

interface KeyFieldsProps {
  draft: KeyDraft;
  onChange: (changes: Partial<KeyDraft>) => void;
  /** Developers set caps and limits only when they create a key. */
  mayLimit: boolean;
  /** Whether its caps can be lifted above defaults. */
  mayExceed: boolean;
}

/** Everything of a key but its name. Empty fields set no limit. */
export function KeyFields({ draft, onChange, mayLimit, mayExceed }: KeyFieldsProps) {
  return (
    <>
      <LimitFields draft={draft} onChange={onChange} mayLimit={mayLimit} />
      <DefaultFields
        groups={[]}
        draft={draft.defaults}
        onChange={(defaults) => onChange({ defaults })}
        isDisabled={!mayLimit}
      />
      {mayExceed && (
        <ExceedsDefaultsField
          isSelected={draft.exceedsDefaults}
          onChange={(exceedsDefaults) => onChange({ exceedsDefaults })}
        />
      )}
      <TagsField draft={draft} onChange={onChange} />
    </>
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
