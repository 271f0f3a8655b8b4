import { useCallback, useEffect, useRef, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { send } from '../../api/client.ts';
import { type Answer, WAITING, withEvent } from './answer.ts';
import type { PlaygroundRequest } from './draft.ts';
import { readEvents } from './events.ts';

/** A call and its response as far as it has arrived. */
export interface Run {
  request: PlaygroundRequest;
  answer: Answer;
  /** The console refused the call, or the connection to it broke. */
  error: Error | null;
}

/** Sends calls to the gateway, one at a time. Leaving the page stops the one that is open. */
export function useAnswer() {
  const { accountId } = useAccount();
  const [run, setRun] = useState<Run | null>(null);
  const open = useRef<AbortController | null>(null);
  useEffect(() => () => open.current?.abort(), []);

  const start = useCallback(
    async (request: PlaygroundRequest) => {
      open.current?.abort();
      const controller = new AbortController();
      open.current = controller;
      let answer = WAITING;
      const show = (error: Error | null = null) => {
        if (open.current === controller) setRun({ request, answer, error });
      };
      show();
      const sentAt = performance.now();
      try {
        const input = { path: { account_id: accountId }, body: request };
        const response = await send('POST /accounts/{account_id}/playground', input, { signal: controller.signal });
        if (response.body === null) throw new Error('The console sent an empty response.');
        for await (const event of readEvents(response.body)) {
          answer = withEvent(answer, event, performance.now() - sentAt);
          show();
        }
        if (isOpen(answer)) throw new Error('The connection to the console ended before the response did.');
      } catch (error) {
        const isStopped = controller.signal.aborted;
        answer = { ...answer, state: isStopped ? 'stopped' : 'failed' };
        show(isStopped ? null : asError(error));
      }
    },
    [accountId],
  );
  const stop = useCallback(() => open.current?.abort(), []);
  return { run, start, stop, isOpen: run !== null && isOpen(run.answer) };
}

function isOpen({ state }: Answer): boolean {
  return state === 'waiting' || state === 'streaming';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something failed in this page. Try again.');
}
