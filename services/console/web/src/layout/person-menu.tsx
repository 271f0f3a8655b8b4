import { call } from '../api/client.ts';
import { messageOf } from '../api/error.ts';
import { useSession } from '../api/session.ts';
import { Menu } from '../components/menu.tsx';
import { toast } from '../components/toast.tsx';
import { initials, nameOf } from '../format/person.ts';
import { useZone } from '../format/zone.ts';
import styles from './shell.module.css';
import { THEMES, useTheme } from './theme.ts';

/** Theme, time zone, profile and sign-out. */
export function PersonMenu({ onHelp }: { onHelp: () => void }) {
  const { person } = useSession();
  const [theme, setTheme] = useTheme();
  const [zone, setZone] = useZone();
  const signOut = useSignOut();
  return (
    <Menu
      label={`${initials(person)}, ${nameOf(person)}: theme, time zone, profile, sign out`}
      entries={[
        { label: nameOf(person), ...(person.name === '' ? {} : { detail: person.email }), href: '/profile' },
        { label: 'Password and sessions', href: '/profile' },
        'separator',
        ...THEMES.map(({ value, label }) => ({
          label,
          chosen: value === theme,
          onAction: () => setTheme(value),
        })),
        'separator',
        { label: 'Times in UTC', chosen: zone === 'utc', onAction: () => setZone('utc') },
        { label: 'Times of this computer', chosen: zone === 'local', onAction: () => setZone('local') },
        'separator',
        { label: 'Keyboard shortcuts', onAction: onHelp },
        { label: 'Sign out', onAction: () => void signOut() },
      ]}
    >
      <span className={styles['person']}>{initials(person)}</span>
    </Menu>
  );
}

export function useSignOut(): () => Promise<void> {
  return async () => {
    try {
      await call('DELETE /session', {}, { signInAgain: false });
    } catch (error) {
      toast({ kind: 'failed', message: `You are still signed in. ${messageOf(error)}` });
      return;
    }
    // A new document: nothing of this person stays in memory.
    window.location.assign('/sign-in');
  };
}
