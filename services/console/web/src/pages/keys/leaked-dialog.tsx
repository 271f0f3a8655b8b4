import { useState } from 'react';
import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { call, type Item } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Note } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { DeleteKeyDialog } from './delete-key-dialog.tsx';
import { KeyStatus } from './key-status.tsx';
import { type LeakedInput, readLeaked, sha256 } from './leaked.ts';

type Found = Awaited<ReturnType<typeof findKeys>>[number];

/** Operators find the keys of all accounts. */
const ACCOUNT_COLUMN: Column<Found> = {
  id: 'account',
  title: 'Account',
  phone: 'detail',
  cell: ({ account_id, account_name }) => (
    <Link href={`/accounts/${account_id}/overview`}>{account_name ?? account_id}</Link>
  ),
};

/** Finds a leaked key by its value, which does not leave the browser, or by its last four characters, and deletes it. */
export function LeakedDialog({ onClose }: { onClose: () => void }) {
  const { accountId, is, may } = useAccount();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const [deleting, setDeleting] = useState<Found | null>(null);
  const input = readLeaked(text);
  const find = async () => {
    setPending(true);
    setError(null);
    try {
      setFound(await findKeys(accountId, input));
    } catch (caught) {
      setError(caught);
    } finally {
      setPending(false);
    }
  };
  if (deleting !== null) {
    return (
      <DeleteKeyDialog
        accountId={deleting.account_id}
        accountName={deleting.account_name}
        keyId={deleting.key_id}
        name={deleting.name}
        lastFour={deleting.last_four}
        onClose={() => {
          setDeleting(null);
          void find();
        }}
      />
    );
  }
  const mayDelete = may('operator', 'owner', 'admin', 'developer');
  return (
    <Dialog title="Leaked a key?" isOpen onClose={onClose} size="wide">
      <CallForm failed="The search failed." error={error} onSubmit={() => void find()}>
        <TextField
          label="The key, or its last four characters"
          mono
          autoFocus
          autoComplete="off"
          value={text}
          onChange={(value) => {
            setText(value);
            setFound(null);
          }}
          hint="A key is hashed in this browser and never sent. You may paste a whole line of a log."
        />
        {input.kind === 'unreadable' && <Note tone="warn">This is neither a key nor four characters.</Note>}
        <DialogActions>
          <Button onPress={onClose}>Close</Button>
          <Button
            look="primary"
            type="submit"
            isDisabled={input.kind === 'empty' || input.kind === 'unreadable'}
            pending={isPending && 'Searching'}
          >
            Find key
          </Button>
        </DialogActions>
      </CallForm>
      {found !== null && (
        <Table
          label="Found keys"
          rows={found}
          rowId={({ key_id }) => key_id}
          isFaded={({ status }) => status === 'deleted'}
          empty={
            <Note>
              {is('operator')
                ? 'No key of any account matches.'
                : 'No key of this account matches. A key of another account is not found here.'}
            </Note>
          }
          columns={[
            { id: 'name', title: 'Name', cell: ({ name }) => <span className="strong">{name}</span> },
            ...(is('operator') ? [ACCOUNT_COLUMN] : []),
            {
              id: 'key',
              title: 'Key',
              width: 72,
              phone: is('operator') ? 'hidden' : 'detail',
              cell: (key) => <code>…{key.last_four}</code>,
            },
            {
              id: 'used',
              title: 'Last used',
              priority: 9,
              width: 104,
              cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time value={last_used_at} />),
            },
            {
              id: 'status',
              title: 'Status',
              width: 88,
              phone: 'value',
              cell: (key) => <KeyStatus status={key.status} />,
            },
            {
              id: 'actions',
              title: 'Actions',
              priority: 0,
              hideTitle: true,
              width: 104,
              align: 'end',
              phone: 'end',
              cell: (key) =>
                mayDelete &&
                key.status !== 'deleted' && (
                  <Button look="danger" size="small" onPress={() => setDeleting(key)}>
                    Delete key
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Dialog>
  );
}

/** By the hash where the browser can compute it, else by the last four characters. */
async function findKeys(
  accountId: string,
  input: LeakedInput,
): Promise<Item<'POST /accounts/{account_id}/keys/find'>[]> {
  if (input.kind === 'empty' || input.kind === 'unreadable') return [];
  const hash = input.kind === 'key' ? await sha256(input.key) : undefined;
  const { data } = await call('POST /accounts/{account_id}/keys/find', {
    path: { account_id: accountId },
    body: hash === undefined ? { last_four: input.lastFour } : { sha256: hash },
  });
  return data;
}
