import type { ReactNode } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import styles from './choices.module.css';
import fields from './field.module.css';

interface ChoicesProps {
  label: string;
  choices: readonly { value: string; label: ReactNode }[];
  /** Null: something else. */
  value: string | null;
  onChange: (value: string) => void;
}

/** A few values to choose from, side by side. */
export function Choices({ label, choices, value, onChange }: ChoicesProps) {
  return (
    <RadioGroup className={fields['field'] ?? ''} orientation="horizontal" value={value} onChange={onChange}>
      <Label className={fields['label'] ?? ''}>{label}</Label>
      <div className={styles['choices']}>
        {choices.map((choice) => (
          <Radio key={choice.value} value={choice.value} className={styles['choice'] ?? ''}>
            {choice.label}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
