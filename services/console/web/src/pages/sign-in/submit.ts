import { type FormEvent, useState } from 'react';

interface Submit {
  submit: (event: FormEvent) => void;
  start: () => void;
  isPending: boolean;
  isDone: boolean;
  error: unknown;
}

/** A form that makes one call, on pages without a session. */
export function useSubmit(run: () => Promise<unknown>): Submit {
  const [state, setState] = useState<Omit<Submit, 'submit' | 'start'>>({
    isPending: false,
    isDone: false,
    error: null,
  });
  const attempt = async () => {
    setState({ isPending: true, isDone: false, error: null });
    try {
      await run();
      setState({ isPending: false, isDone: true, error: null });
    } catch (error) {
      setState({ isPending: false, isDone: false, error });
    }
  };
  return {
    ...state,
    start: () => void attempt(),
    submit: (event) => {
      event.preventDefault();
      void attempt();
    },
  };
}
