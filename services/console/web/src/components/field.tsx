import { type ReactNode, useState } from 'react';
import {
  Checkbox as AriaCheckbox,
  NumberField as AriaNumberField,
  Switch as AriaSwitch,
  TextField as AriaTextField,
  type CheckboxProps,
  FieldError,
  Input,
  Label,
  type NumberFieldProps,
  type SwitchProps,
  Text,
  TextArea,
  type TextFieldProps,
} from 'react-aria-components';
import { Button } from './button.tsx';
import styles from './field.module.css';
import { CheckIcon } from './icons.tsx';

interface Common {
  /** Required, because placeholders are not labels. */
  label: ReactNode;
  /** For screen readers only, where the place says what it is. */
  hideLabel?: boolean;
  /** What it is for, or an example. */
  hint?: ReactNode;
}

interface TextProps extends Common, Omit<TextFieldProps, 'children' | 'className' | 'style'> {
  placeholder?: string;
  /** Several lines. */
  rows?: number;
  /** Ids, keys and code. */
  mono?: boolean;
  /** Before or after the text, such as `$`. */
  prefix?: string;
  suffix?: string;
}

export function TextField({ label, hideLabel, hint, placeholder, rows, mono, prefix, suffix, ...props }: TextProps) {
  const [revealed, setRevealed] = useState(false);
  const isPassword = props.type === 'password';
  const className = `${styles['input']} ${mono === true ? styles['mono'] : ''}`;
  return (
    <AriaTextField
      {...props}
      type={isPassword && revealed ? 'text' : (props.type ?? 'text')}
      className={styles['field'] ?? ''}
    >
      <Label className={hideLabel === true ? 'hidden' : (styles['label'] ?? '')}>{label}</Label>
      {rows === undefined ? (
        <div className={styles['box']}>
          {prefix !== undefined && <span className={styles['affix']}>{prefix}</span>}
          <Input className={className} {...(placeholder === undefined ? {} : { placeholder })} />
          {suffix !== undefined && <span className={styles['affix']}>{suffix}</span>}
          {isPassword && (
            <Button look="quiet" size="small" excludeFromTabOrder onPress={() => setRevealed(!revealed)}>
              {revealed ? 'Hide' : 'Show'}
            </Button>
          )}
        </div>
      ) : (
        <TextArea className={`${className} ${styles['area']}`} rows={rows} placeholder={placeholder} />
      )}
      <Help hint={hint} />
    </AriaTextField>
  );
}

interface NumberProps extends Common, Omit<NumberFieldProps, 'children' | 'className' | 'style'> {
  placeholder?: string;
  suffix?: string;
}

/** Whole numbers such as limits. Amounts of money are a TextField with `inputMode="decimal"` and `prefix="$"`. */
export function NumberField({ label, hideLabel, hint, placeholder, suffix, ...props }: NumberProps) {
  return (
    <AriaNumberField {...props} className={styles['field'] ?? ''}>
      <Label className={hideLabel === true ? 'hidden' : (styles['label'] ?? '')}>{label}</Label>
      <div className={styles['box']}>
        <Input className={styles['input'] ?? ''} {...(placeholder === undefined ? {} : { placeholder })} />
        {suffix !== undefined && <span className={styles['affix']}>{suffix}</span>}
      </div>
      <Help hint={hint} />
    </AriaNumberField>
  );
}

export function Help({ hint }: { hint?: ReactNode }) {
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className={styles['hint'] ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles['error'] ?? ''} />
    </>
  );
}

interface ToggleProps extends Omit<SwitchProps, 'children' | 'className' | 'style'> {
  children: ReactNode;
}

export function Switch({ children, ...props }: ToggleProps) {
  return (
    <AriaSwitch {...props} className={styles['toggle'] ?? ''}>
      <span className={styles['track']} aria-hidden="true">
        <span className={styles['thumb']} />
      </span>
      {children}
    </AriaSwitch>
  );
}

interface TickProps extends Omit<CheckboxProps, 'children' | 'className' | 'style'> {
  children: ReactNode;
}

export function Checkbox({ children, ...props }: TickProps) {
  return (
    <AriaCheckbox {...props} className={styles['toggle'] ?? ''}>
      <span className={styles['tick']} aria-hidden="true">
        <CheckIcon />
      </span>
      {children}
    </AriaCheckbox>
  );
}
