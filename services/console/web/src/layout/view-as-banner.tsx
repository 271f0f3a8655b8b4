import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useChange } from '../api/queries.ts';
import { type Session, useSetSession } from '../api/session.ts';
import { Button } from '../components/button.tsx';
import styles from './shell.module.css';

/** While an operator views an account as its members see it. */
export function ViewAsBanner({ viewAs }: { viewAs: NonNullable<Session['view_as']> }) {
  const client = useQueryClient();
  const setSession = useSetSession();
  const [, navigate] = useLocation();
  const leave = useChange('PUT /session/view-as', { failed: 'You still view the account as its members see it.' });
  return (
    <div className={styles['banner']} role="status">
      <span>
        You view <strong>{viewAs.account_name}</strong> as its members see it. Nothing can be changed, and the audit log
        records it.
      </span>
      <Button
        size="small"
        pending={leave.isPending && 'Leaving'}
        onPress={() =>
          leave.mutate(
            { body: { account_id: null } },
            {
              onSuccess: (session) => {
                client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'GET /session' });
                setSession(session);
                navigate('/operator/accounts');
              },
            },
          )
        }
      >
        Leave
      </Button>
    </div>
  );
}
