import { useState } from 'react';
import { useAccount } from '../../../account/account-context.tsx';
import { useRead } from '../../../api/queries.ts';
import { Button } from '../../../components/button.tsx';
import { Checkbox, TextField } from '../../../components/field.tsx';
import forms from '../../../components/forms.module.css';
import { ErrorNote } from '../../../components/note.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import styles from './limits.module.css';

interface ModelsFieldProps {
  chosen: readonly string[];
  onChange: (models: readonly string[]) => void;
}

/** Lists longer than this have a field to find a model. */
const MAX_PLAIN_MODELS = 12;

/** The models that are allowed. */
export function ModelsField({ chosen, onChange }: ModelsFieldProps) {
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
