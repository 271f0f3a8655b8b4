import type { ReactNode } from 'react';
import { messageOf } from '../api/error.ts';
import { Button } from './button.tsx';
import styles from './note.module.css';

interface EmptyProps {
  /** What is not there: `No keys yet`. */
  title: string;
  /** Why, and what to do. */
  children?: ReactNode;
  action?: ReactNode;
}

/** In the place of a list or chart that has nothing to show. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={styles['empty']}>
      <p className="strong">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
      {action}
    </div>
  );
}

/** In the place of a list whose absence is good news: one line. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="muted">{children}</p>;
}

interface NoteProps {
  tone?: 'neutral' | 'warn' | 'bad' | 'good';
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}

/** Something to know about a page or form. */
export function Note({ tone = 'neutral', title, children, action }: NoteProps) {
  return (
    <div className={styles['note']} data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
      <div>
        {title !== undefined && <p className="strong">{title}</p>}
        {children !== undefined && <div>{children}</div>}
      </div>
      {action}
    </div>
  );
}

interface ErrorNoteProps {
  /** What did not work: `The keys could not be loaded.` */
  title: string;
  error: unknown;
  onRetry?: (() => unknown) | undefined;
}

/** What failed, the reason as the API gives it (it says what to do), and a way to try again. */
export function ErrorNote({ title, error, onRetry }: ErrorNoteProps) {
  return (
    <Note
      tone="bad"
      title={title}
      action={onRetry !== undefined && <Button onPress={() => onRetry()}>Try again</Button>}
    >
      {messageOf(error)}
    </Note>
  );
}

interface MoreFailedProps {
  /** `Older requests` */
  what: string;
  list: { data: unknown; isError: boolean; error: unknown; fetchNextPage: () => unknown };
}

/** Under a list that shows some pages, if the next one could not be loaded. */
export function MoreFailed({ what, list: { data, isError, error, fetchNextPage } }: MoreFailedProps) {
  if (!isError || data === undefined) return null;
  return <ErrorNote title={`${what} could not be loaded.`} error={error} onRetry={fetchNextPage} />;
}
