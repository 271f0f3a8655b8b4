import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Checkbox } from '../../components/field.tsx';
import { plural } from '../../format/number.ts';
import { nameOf } from '../../format/person.ts';
import { useDeleteKeys } from './delete-keys.ts';
import { countOf, deletable, type LeftKey } from './left-keys.ts';
import styles from './members.module.css';
import type { Member } from './members-table.tsx';

interface LeftKeysDialogProps {
  member: Member;
  keys: readonly LeftKey[];
  onClose: () => void;
}

/** Offers to delete the keys that a removed member made, which stay valid. */
export function LeftKeysDialog({ member, keys, onClose }: LeftKeysDialogProps) {
  const account = useAccount();
  const mine = deletable(keys, account.may('operator', 'owner'));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(mine.map(({ id }) => id)));
  const deletion = useDeleteKeys();
  const toggle = (id: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  const selected = mine.filter(({ id }) => chosen.has(id));
  return (
    <Dialog title={`${nameOf(member)} is removed`} isOpen onClose={onClose}>
      <p>
        {countOf(keys)} that {nameOf(member)} made {keys.length === 1 ? 'is' : 'are'} still valid. Delete those that
        nobody else uses.
      </p>
      {mine.length < keys.length && <p>Only an owner can delete management keys: ask one to do so.</p>}
      <ul className={styles['keys']}>
        {keys.map((key) => (
          <li key={key.id}>
            <Checkbox
              isSelected={chosen.has(key.id)}
              isDisabled={!mine.includes(key) || deletion.isRunning || deletion.outcomes.has(key.id)}
              onChange={(isChosen) => toggle(key.id, isChosen)}
            >
              <span className="strong">{key.name}</span>
              <code className="muted">…{key.lastFour}</code>
              {key.kind === 'management' && <Badge tone="neutral">Management key</Badge>}
            </Checkbox>
            <span className="muted small">{deletion.outcomes.get(key.id)}</span>
          </li>
        ))}
      </ul>
      <DialogActions>
        {deletion.outcomes.size > 0 || mine.length === 0 ? (
          <Button look="primary" isDisabled={deletion.isRunning} onPress={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>Keep all keys</Button>
            <Button
              look="danger"
              isDisabled={selected.length === 0}
              pending={deletion.isRunning && 'Deleting'}
              onPress={() => void deletion.run(selected)}
            >
              Delete {plural(selected.length, 'key')}
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}
