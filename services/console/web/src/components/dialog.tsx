import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { CrossIcon } from './icons.tsx';

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  size?: 'normal' | 'wide';
  /** Neither Esc nor a click outside closes it: for what is shown once. */
  staysOpen?: boolean;
}

/** A dialog over the page. Its last child is usually <DialogActions>. */
export function Dialog({ title, isOpen, onClose, children, size = 'normal', staysOpen = false }: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!staysOpen}
      isKeyboardDismissDisabled={staysOpen}
      className={styles['scrim'] ?? ''}
    >
      <Modal className={`${styles['modal']} ${size === 'wide' ? styles['wide'] : ''}`}>
        <AriaDialog className={styles['dialog'] ?? ''}>
          <div className={styles['head']}>
            <Heading slot="title">{title}</Heading>
            {!staysOpen && (
              <Button look="quiet" size="small" aria-label="Close" onPress={onClose}>
                <CrossIcon />
              </Button>
            )}
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons at the end of a dialog or form, the primary one last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles['actions']}>{children}</div>;
}

interface ConfirmProps {
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** The verb: `Delete key`. */
  action: string;
  danger?: boolean;
  pending?: string | false | undefined;
  isOpen: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. Nothing has to be typed. */
export function Confirm(props: ConfirmProps) {
  const { title, children, action, danger = false, pending = false, isOpen, onConfirm, onClose } = props;
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {children}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button look={danger ? 'danger' : 'primary'} pending={pending} onPress={onConfirm} autoFocus>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
