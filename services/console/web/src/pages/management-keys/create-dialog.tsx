import { useState } from 'react';
import { useAccountIfAny } from '../../account/account-context.tsx';
import type { MemberRole } from '../../account/roles.ts';
import { useConfig } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Code } from '../../components/code.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Secret } from '../../components/secret.tsx';
import { Select } from '../../components/select.tsx';
import { DAY } from '../../format/time.ts';
import type { CreateKey, NewManagementKey } from './management-keys.tsx';

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '180', label: '180 days' },
  { value: '365', label: '1 year' },
] as const;

interface CreateDialogProps {
  roles: readonly { value: MemberRole; label: string; detail: string }[];
  useCreate: () => CreateKey;
  onClose: () => void;
}

/** A form, then the key: once. */
export function CreateDialog({ roles, useCreate, onClose }: CreateDialogProps) {
  const [created, setCreated] = useState<NewManagementKey | null>(null);
  if (created !== null) return <Created created={created} onClose={onClose} />;
  return (
    <Dialog title="Create management key" isOpen onClose={onClose}>
      <CreateForm roles={roles} useCreate={useCreate} onCreated={setCreated} onClose={onClose} />
    </Dialog>
  );
}

interface CreateFormProps extends CreateDialogProps {
  onCreated: (created: NewManagementKey) => void;
}

function CreateForm({ roles, useCreate, onCreated, onClose }: CreateFormProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<MemberRole>('developer');
  const [days, setDays] = useState<(typeof LIFETIMES)[number]['value']>('90');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const createKey = useCreate();
  const create = async () => {
    setPending(true);
    setError(null);
    try {
      onCreated(await createKey({ name, role, expires_at: new Date(Date.now() + Number(days) * DAY).toISOString() }));
    } catch (caught) {
      setError(caught);
      setPending(false);
    }
  };
  return (
    <CallForm
      failed="The management key was not created."
      error={error}
      fields={['name', 'role', 'expires_at']}
      onSubmit={() => void create()}
    >
      <TextField
        label="Name"
        name="name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        hint="The program that uses it. The audit log shows this name."
      />
      {roles.length > 0 && <Select label="Role" name="role" options={roles} value={role} onChange={setRole} />}
      <Select label="Valid for" name="expires_at" options={LIFETIMES} value={days} onChange={setDays} />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit" pending={isPending && 'Creating'}>
          Create management key
        </Button>
      </DialogActions>
    </CallForm>
  );
}

function Created({ created: { key, secret }, onClose }: { created: NewManagementKey; onClose: () => void }) {
  const consoleUrl = useConfig()?.console_url ?? window.location.origin;
  const account = useAccountIfAny();
  const path = key.role === 'operator' ? '/operator/accounts' : `/accounts/${account?.accountId}/keys`;
  return (
    <Dialog title={`${key.name} is created`} isOpen onClose={onClose} size="wide" staysOpen>
      <p>Copy the key now. It is not stored, and cannot be shown again.</p>
      <Secret label="Management key" text={secret} />
      <Code
        what="example call"
        text={`curl ${consoleUrl}/management/v1${path} \\\n  -H "Authorization: Bearer ${secret}"`}
      />
      <DialogActions>
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
