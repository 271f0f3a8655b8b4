import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { TextField } from '../../components/field.tsx';
import { isRequestOrTraceId } from './filters.ts';
import styles from './list.module.css';

/** Opens a request by its id or trace id, refused ones included. */
export function FindRequest() {
  const { href } = useAccount();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  return (
    <form
      className={styles['find']}
      onSubmit={(event) => {
        event.preventDefault();
        if (isRequestOrTraceId(text)) navigate(href(`/requests/${text.trim().toLowerCase()}`));
        else setWrong(text.trim() !== '');
      }}
    >
      <TextField
        label="Find a request"
        hideLabel
        mono
        placeholder="Request or trace id"
        type="search"
        value={text}
        onChange={(next) => {
          setText(next);
          setWrong(false);
        }}
      />
      {isWrong && (
        <p className={`small ${styles['problem']}`} role="alert">
          Enter a whole id: 32 hexadecimal digits, with or without dashes.
        </p>
      )}
    </form>
  );
}
