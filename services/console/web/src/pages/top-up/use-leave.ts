import { useEffect, useState } from 'react';

/** Leads to another site. While the browser is on its way, the form waits; after Back it is as it was. */
export function useLeave(): [isLeaving: boolean, leave: (url: string) => void] {
  const [isLeaving, setIsLeaving] = useState(false);
  useEffect(() => {
    const onShow = () => setIsLeaving(false);
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, []);
  const leave = (url: string) => {
    setIsLeaving(true);
    window.location.assign(url);
  };
  return [isLeaving, leave];
}
