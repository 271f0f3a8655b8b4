import { type MouseEvent, type ReactNode, useState } from 'react';
import { Form } from 'react-aria-components';
import { ApiError, fieldErrors } from '../api/error.ts';
import { ErrorNote } from './note.tsx';

interface CallFormProps {
  /** What was not done, if the call fails: `The account was not created.` */
  failed: string;
  error: unknown;
  /** Names of its fields: their errors show at them, all others at the top. */
  fields?: readonly string[];
  onSubmit: () => void;
  children: ReactNode;
}

/** A form that makes one call. */
export function CallForm({ failed, error, fields = [], onSubmit, children }: CallFormProps) {
  // An error of the server blocks the form until the person changes something.
  const [changedAfter, setChangedAfter] = useState<unknown>(null);
  const field = error instanceof ApiError && error.field !== null && fields.includes(error.field) ? error.field : null;
  const errors: Record<string, string> = field === null || changedAfter === error ? {} : fieldErrors(error);
  // What is ticked or chosen from a list makes no event of input.
  const choose = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest('label, [role="option"]') !== null) setChangedAfter(error);
  };
  return (
    <Form
      validationErrors={errors}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="stack" onInput={() => setChangedAfter(error)} onClickCapture={choose}>
        {error !== null && field === null && <ErrorNote title={failed} error={error} />}
        {children}
      </div>
    </Form>
  );
}
