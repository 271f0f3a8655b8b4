import { useEffect, useState } from 'react';

/**
 * The secret of a link, from its fragment, which browsers do not send to servers. It is removed from the address at once.
 * A link that is opened in the page itself replaces it: then only the fragment changes, and nothing is loaded.
 */
export function useFragmentSecret(): { secret: string; forget: () => void } {
  const [secret, setSecret] = useState(fragment);
  useEffect(() => {
    const takeOver = () => {
      if (fragment() !== '') setSecret(fragment());
      clearFragment();
    };
    clearFragment();
    window.addEventListener('hashchange', takeOver);
    return () => window.removeEventListener('hashchange', takeOver);
  }, []);
  return { secret, forget: () => setSecret('') };
}

/** Secrets are base64url, which needs no decoding. */
function fragment(): string {
  return window.location.hash.slice(1);
}

function clearFragment(): void {
  if (window.location.hash !== '') window.history.replaceState(null, '', window.location.pathname);
}
