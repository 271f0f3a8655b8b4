import { type ReactNode, useContext } from 'react';
import { Menu as AriaMenu, Button, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { useLocation } from 'wouter';
import buttons from './button.module.css';
import { CheckIcon } from './icons.tsx';
import styles from './menu.module.css';
import { CurrentRow } from './table/current-row.ts';

export type MenuEntry =
  | {
      label: string;
      /** A page, or what to do. */
      href?: string;
      onAction?: () => void;
      detail?: string;
      danger?: boolean;
      /** The choice in force, with a tick. */
      chosen?: boolean;
    }
  | 'separator';

interface MenuProps {
  /** For screen readers, if `children` is an icon. */
  label?: string;
  /** The content of the button. */
  children: ReactNode;
  entries: readonly MenuEntry[];
  look?: 'secondary' | 'quiet';
  size?: 'normal' | 'small';
  /** The side of the button at which the list is aligned. */
  side?: 'start' | 'end';
}

/** A button that opens a list of actions, links or choices. */
export function Menu({ label, children, entries, look = 'quiet', size = 'normal', side = 'end' }: MenuProps) {
  const [, navigate] = useLocation();
  const isInCurrentRow = useContext(CurrentRow);
  return (
    <MenuTrigger>
      <Button
        data-look={look}
        excludeFromTabOrder={!isInCurrentRow}
        className={`${buttons['button']} ${buttons[look]} ${buttons[size]}`}
        {...(label === undefined ? {} : { 'aria-label': label })}
      >
        {children}
      </Button>
      <Popover className={styles['popover'] ?? ''} placement={`bottom ${side}`} offset={4}>
        <AriaMenu className={styles['menu'] ?? ''} {...(label === undefined ? {} : { 'aria-label': label })}>
          {entries.map((entry, index) =>
            entry === 'separator' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: separators have nothing else to tell them apart.
              <Separator key={index} className={styles['separator'] ?? ''} />
            ) : (
              <MenuItem
                key={entry.label}
                textValue={entry.label}
                className={`${styles['item']} ${entry.danger === true ? styles['danger'] : ''}`}
                onAction={() => (entry.href === undefined ? entry.onAction?.() : navigate(entry.href))}
              >
                <span>
                  {entry.label}
                  {entry.detail !== undefined && <span className={styles['detail']}>{entry.detail}</span>}
                </span>
                {entry.chosen === true && <CheckIcon />}
              </MenuItem>
            ),
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
