import { useRef, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { type ApiError, draftError } from '../../api/error.ts';
import { type Patch, patch, useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { toast } from '../../components/toast.tsx';
import { LIMIT_FIELDS } from '../shared/limits/limit-fields.tsx';
import { useRaisedCap } from '../shared/limits/raised-cap.ts';
import { tightestCap } from './caps.ts';
import { changesOf, draftOf, type Key, readDraft } from './draft.ts';
import { KeyFields } from './key-fields.tsx';
import styles from './keys.module.css';

interface EditKeyFormProps {
  apiKey: Key;
  /** The cap whose field gets the focus, by its period. */
  raise: string | undefined;
  /** It has the focus. */
  onRaising: () => void;
}

/** Everything of a key that can be changed. */
export function EditKeyForm({ apiKey: key, raise, onRaising }: EditKeyFormProps) {
  const account = useAccount();
  const form = useRef<HTMLDivElement>(null);
  useRaisedCap(form, raise, tightestCap(key.cap_usage)?.period ?? 'day', onRaising);
  const [draft, setDraft] = useState(() => draftOf(key));
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const update = useChange('PATCH /accounts/{account_id}/keys/{key_id}', {
    failed: null,
    what: () => `The change of ${draft.name}`,
    optimistic: ({ path, body }) => keyPatches(path.key_id, body.name === undefined ? {} : { name: body.name }),
    applied: (changed) => keyPatches(changed.key_id, changed),
    invalidates: KEY_READS,
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(key));
  const submit = () => {
    const { body, errors } = readDraft(draft, Date.now());
    if (body === null) {
      setWrong(draftError(errors));
      return;
    }
    setWrong(null);
    update.mutate(
      { path: { account_id: key.account_id, key_id: key.key_id }, body: changesOf(key, draft, body) },
      {
        onSuccess: (changed) => {
          setDraft(draftOf({ ...key, ...changed }));
          toast({ kind: 'done', message: 'The key is changed at every ingress.' });
        },
      },
    );
  };
  return (
    <div className={styles['form']} ref={form}>
      <CallForm failed="The key was not changed." error={wrong ?? update.error} fields={FIELDS} onSubmit={submit}>
        <TextField
          label="Name"
          name="name"
          isRequired
          value={draft.name}
          onChange={(name) => setDraft({ ...draft, name })}
        />
        <KeyFields
          draft={draft}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          mayLimit={!account.is('developer')}
          mayExceed={!account.is('developer') && key.parent_key_id === null}
        />
        <div className={forms['submit']}>
          <Button look="primary" type="submit" isDisabled={!isChanged} pending={update.isPending && 'Saving'}>
            Save changes
          </Button>
          {isChanged && <Button onPress={() => setDraft(draftOf(key))}>Discard</Button>}
        </div>
      </CallForm>
    </div>
  );
}

/** A change of a key, in its page and in the list. */
function keyPatches(keyId: string, change: Partial<Key>): Patch[] {
  const changed = <K extends Key>(before: K) => (before.key_id === keyId ? { ...before, ...change } : before);
  return [
    patch('GET /accounts/{account_id}/keys/{key_id}', changed),
    patch('GET /accounts/{account_id}/keys', (list) => ({ ...list, data: list.data.map(changed) })),
  ];
}

/** What shows keys. */
export const KEY_READS = [
  'GET /accounts/{account_id}/keys',
  'GET /accounts/{account_id}/keys/{key_id}',
  'GET /accounts/{account_id}/limits',
  'GET /accounts/{account_id}/overview',
  'GET /accounts/{account_id}/search',
] as const;

/** Fields that show their own errors. */
export const FIELDS = ['name', 'each_session', ...LIMIT_FIELDS];
