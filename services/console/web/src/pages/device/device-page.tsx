import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNote, Note } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { useSubmit } from '../sign-in/submit.ts';

/** `/device?code=<code>`: gives the command line a session of the signed-in person, or refuses it. */
export function DevicePage() {
  const [search, setSearch] = useSearchParams();
  const code = search.get('code') ?? '';
  const [decision, setDecision] = useState<'approved' | 'refused'>();
  return (
    <Page title="Sign in a command line">
      {decision === 'approved' && <Note tone="good" title="It is signed in. You can close this page." />}
      {decision === 'refused' && <Note tone="warn" title="It was refused." />}
      {decision === undefined && code === '' && <CodeForm onCode={(typed) => setSearch({ code: typed })} />}
      {decision === undefined && code !== '' && (
        <Decide code={code} onDecided={(approve) => setDecision(approve ? 'approved' : 'refused')} />
      )}
    </Page>
  );
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const [typed, setTyped] = useState('');
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onCode(typed);
      }}
    >
      <TextField label="Code that it shows" value={typed} onChange={setTyped} autoComplete="off" />
      <Button type="submit" look="primary">
        Continue
      </Button>
    </form>
  );
}

function Decide({ code, onDecided }: { code: string; onDecided: (approve: boolean) => void }) {
  const { person } = useSession();
  const asked = useQuery({
    queryKey: ['device', code],
    queryFn: () => call('POST /device-authorizations/find', { body: { user_code: code } }),
    retry: false,
  });
  const decide = async (approve: boolean) => {
    await call('POST /device-authorizations/decide', { body: { user_code: code, approve } });
    onDecided(approve);
  };
  const approval = useSubmit(() => decide(true));
  const refusal = useSubmit(() => decide(false));
  if (asked.isError) return <ErrorNote title="This code cannot be used." error={asked.error} />;
  if (asked.data === undefined) return null;
  const { device, ip_address: address, created_at: createdAt } = asked.data;
  const error = approval.error ?? refusal.error;
  return (
    <div className="stack">
      {error !== null && <ErrorNote title="It was not decided." error={error} />}
      <p>
        <strong>{device}</strong> at <code>{address}</code> asks to act as <strong>{person.email}</strong>. It began{' '}
        <Time value={createdAt} />.
      </p>
      <p>
        Approve only if you started this yourself and it shows the code <code>{code}</code>. It can then do what you can
        do, until you end its session in your profile.
      </p>
      <Button look="primary" onPress={approval.start} pending={approval.isPending && 'Approving'}>
        Approve
      </Button>
      <Button onPress={refusal.start} pending={refusal.isPending && 'Refusing'}>
        Refuse
      </Button>
    </div>
  );
}
