import { useState } from 'react';

/** The secret of a link, from its fragment, which browsers do not send to servers. It is removed from the address at once. */
export function useFragmentSecret(): string {
  const [secret] = useState(() => decodeURIComponent(window.location.hash.slice(1)));
  if (window.location.hash !== '') window.history.replaceState(null, '', window.location.pathname);
  return secret;
}
