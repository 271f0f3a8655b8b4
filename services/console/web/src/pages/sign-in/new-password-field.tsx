import { TextField } from '../../components/field.tsx';

const MIN_LENGTH = 12;

interface NewPasswordFieldProps {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoFocus?: boolean;
}

/** Checks the length only: a rule about digits and signs makes passwords worse. */
export function NewPasswordField({ name, label, value, onChange, autoFocus = false }: NewPasswordFieldProps) {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      value={value}
      onChange={onChange}
      isRequired
      autoFocus={autoFocus}
      hint={`At least ${MIN_LENGTH} characters.`}
      validate={(text) => (text.length < MIN_LENGTH ? `Use at least ${MIN_LENGTH} characters.` : null)}
    />
  );
}
