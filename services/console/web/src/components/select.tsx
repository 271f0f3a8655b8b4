import { type ReactNode, useContext } from 'react';
import { Select as AriaSelect, Button, Label, ListBox, ListBoxItem, Popover, SelectValue } from 'react-aria-components';
import fields from './field.module.css';
import { Help } from './field.tsx';
import { CheckIcon, ChevronDownIcon } from './icons.tsx';
import styles from './menu.module.css';
import { CurrentRow } from './table/current-row.ts';

export interface Option<T extends string> {
  value: T;
  label: string;
  /** A second line. */
  detail?: string;
}

interface SelectProps<T extends string> {
  label: ReactNode;
  hideLabel?: boolean;
  hint?: ReactNode;
  options: readonly Option<T>[];
  value: T;
  onChange: (value: T) => void;
  name?: string;
  isDisabled?: boolean;
  /** In rows of tables. */
  size?: 'normal' | 'small';
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { label, hideLabel = false, hint, options, value, onChange, name, isDisabled = false, size = 'normal' } = props;
  const isInCurrentRow = useContext(CurrentRow);
  return (
    <AriaSelect
      className={fields['field'] ?? ''}
      value={value}
      isDisabled={isDisabled}
      {...(name === undefined ? {} : { name })}
      onChange={(key) => {
        const chosen = options.find((option) => option.value === key);
        if (chosen !== undefined) onChange(chosen.value);
      }}
    >
      <Label className={hideLabel ? 'hidden' : (fields['label'] ?? '')}>{label}</Label>
      <Button
        excludeFromTabOrder={!isInCurrentRow}
        className={`${styles['select']} ${size === 'small' ? styles['small'] : ''}`}
      >
        <SelectValue>{() => options.find((option) => option.value === value)?.label ?? value}</SelectValue>
        <ChevronDownIcon />
      </Button>
      <Help hint={hint} />
      <Popover className={styles['popover'] ?? ''} offset={4}>
        <ListBox className={styles['menu'] ?? ''} items={options.map((option) => ({ ...option, id: option.value }))}>
          {(option) => (
            <ListBoxItem id={option.value} textValue={option.label} className={styles['item'] ?? ''}>
              <span>
                {option.label}
                {option.detail !== undefined && <span className={styles['detail']}>{option.detail}</span>}
              </span>
              {option.value === value && <CheckIcon />}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
