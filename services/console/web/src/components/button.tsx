import { type ReactNode, useContext } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link } from 'wouter';
import styles from './button.module.css';
import { CurrentRow } from './table/current-row.ts';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** A verb: `Create key`. */
  children: ReactNode;
  /** One primary button per page or dialog. */
  look?: Look;
  size?: 'normal' | 'small';
  /** What it shows and says while its call is under way: `Creating`. The button stays focused and does nothing. */
  pending?: string | false | undefined;
}

export function Button({ children, look = 'secondary', size = 'normal', pending = false, ...props }: ButtonProps) {
  const isInCurrentRow = useContext(CurrentRow);
  if (pending === false) {
    return (
      <AriaButton excludeFromTabOrder={!isInCurrentRow} {...props} data-look={look} className={className(look, size)}>
        {children}
      </AriaButton>
    );
  }
  // Not `isPending`, which announces by an element that outlives the button, without a name.
  return (
    <AriaButton
      {...props}
      // A disabled button would lose the focus.
      isDisabled={false}
      aria-disabled
      data-pending
      data-look={look}
      className={className(look, size)}
      onPress={() => undefined}
      onClick={(event) => event.preventDefault()}
    >
      {pending}
    </AriaButton>
  );
}

interface ButtonLinkProps {
  href: string;
  children: ReactNode;
  look?: Look;
  size?: 'normal' | 'small';
  /** A file, not a page of the console. */
  download?: boolean;
  /** A page of another site, in this tab. */
  elsewhere?: boolean;
}

export function ButtonLink(props: ButtonLinkProps) {
  const { href, children, look = 'secondary', size = 'normal', download = false, elsewhere = false } = props;
  const tabIndex = useContext(CurrentRow) ? 0 : -1;
  if (download || elsewhere) {
    return (
      <a href={href} download={download || undefined} tabIndex={tabIndex} className={className(look, size)}>
        {children}
      </a>
    );
  }
  return (
    <Link href={href} tabIndex={tabIndex} className={className(look, size)}>
      {children}
    </Link>
  );
}

function className(look: Look, size: 'normal' | 'small'): string {
  return `${styles['button']} ${styles[look]} ${styles[size]}`;
}
