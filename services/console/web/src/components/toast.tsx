import { useEffect, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Button } from './button.tsx';
import { CrossIcon } from './icons.tsx';
import styles from './toast.module.css';

interface Toast {
  /** `failed` stays until it is closed. */
  kind: 'done' | 'failed';
  message: string;
  action?: { label: string; run: () => void };
}

const MAX_TOASTS = 3;
const SHOWN_MS = 6_000;

let toasts: readonly (Toast & { id: number })[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: typeof toasts): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says in the corner of the page what was done (with `Undo`, where that is possible) or what failed. */
export function toast(given: Toast): void {
  lastId += 1;
  change([...toasts, { ...given, id: lastId }].slice(-MAX_TOASTS));
}

function close(id: number): void {
  change(toasts.filter((each) => each.id !== id));
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  // Beside the page, in what react-aria leaves usable while a dialog is open.
  return createPortal(
    <section
      className={styles['region']}
      aria-label="Notifications"
      aria-live="polite"
      data-react-aria-top-layer="true"
    >
      {shown.map((each) => (
        <ToastLine key={each.id} toast={each} onClose={() => close(each.id)} />
      ))}
    </section>,
    document.body,
  );
}

function ToastLine({
  toast: { kind, message, action, id },
  onClose,
}: {
  toast: Toast & { id: number };
  onClose: () => void;
}) {
  useEffect(() => {
    if (kind === 'failed') return;
    const timer = setTimeout(() => close(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [kind, id]);
  return (
    <div className={styles['toast']} data-kind={kind}>
      <p>{message}</p>
      {action !== undefined && (
        <Button
          size="small"
          onPress={() => {
            onClose();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button look="quiet" size="small" aria-label="Close" onPress={onClose}>
        <CrossIcon />
      </Button>
    </div>
  );
}
