import { CopyButton } from './copy-button.tsx';
import styles from './secret.module.css';

interface SecretProps {
  /** `Key`, `Invitation link` */
  label: string;
  text: string;
  onCopied?: () => void;
}

/** A key or link that is shown once, to copy. */
export function Secret({ label, text, onCopied }: SecretProps) {
  return (
    <div className={styles['secret']}>
      <code>{text}</code>
      <CopyButton
        text={text}
        what={label.toLowerCase()}
        labelled
        look="primary"
        {...(onCopied === undefined ? {} : { onCopied })}
      />
    </div>
  );
}
