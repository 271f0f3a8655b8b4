import { useState } from 'react';
import { Button as AriaButton, DialogTrigger, Popover, Dialog as PopoverDialog } from 'react-aria-components';
import { useSearchParams } from '../url/search-params.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import styles from './filter-chips.module.css';
import { ChevronDownIcon, CrossIcon } from './icons.tsx';
import menus from './menu.module.css';

export interface Filter {
  /** Its parameter in the address. */
  name: string;
  /** `Model` */
  label: string;
  /** Values to choose from. Without them, a text is entered. */
  options?: readonly { value: string; label: string }[] | undefined;
  placeholder?: string;
}

/** Filters of a list as chips, kept in the address. An empty chip opens; a set one shows its value and can be cleared. */
export function FilterChips({ filters }: { filters: readonly Filter[] }) {
  const [params, setParams] = useSearchParams();
  const set = filters.filter(({ name }) => params[name] !== undefined);
  return (
    <fieldset className={styles['chips']}>
      <legend className="hidden">Filters</legend>
      {filters.map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={params[filter.name]}
          onChange={(value) => setParams({ [filter.name]: value })}
        />
      ))}
      {set.length > 1 && (
        <Button
          look="quiet"
          size="small"
          onPress={() => setParams(Object.fromEntries(set.map(({ name }) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </fieldset>
  );
}

interface ChipProps {
  filter: Filter;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function Chip({ filter, value, onChange }: ChipProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = filter.options?.find((option) => option.value === value)?.label ?? value;
  const choose = (next: string | undefined) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <span className={styles['chip']} data-set={value !== undefined}>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <AriaButton className={styles['open'] ?? ''}>
          {filter.label}
          {shown === undefined ? <ChevronDownIcon /> : <span className={styles['value']}>{shown}</span>}
        </AriaButton>
        <Popover className={menus['popover'] ?? ''} placement="bottom start" offset={4}>
          <PopoverDialog className={styles['dialog'] ?? ''} aria-label={`Filter by ${filter.label.toLowerCase()}`}>
            {filter.options === undefined ? (
              <TextFilter filter={filter} value={value ?? ''} onChange={choose} />
            ) : (
              <OptionFilter options={filter.options} value={value} onChange={choose} />
            )}
          </PopoverDialog>
        </Popover>
      </DialogTrigger>
      {value !== undefined && (
        <AriaButton
          className={styles['clear'] ?? ''}
          aria-label={`Clear filter ${filter.label}`}
          onPress={() => onChange(undefined)}
        >
          <CrossIcon />
        </AriaButton>
      )}
    </span>
  );
}

interface TextFilterProps {
  filter: Filter;
  value: string;
  onChange: (value: string | undefined) => void;
}

function TextFilter({ filter, value, onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  return (
    <form
      className={styles['text']}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim() === '' ? undefined : text.trim());
      }}
    >
      <TextField
        label={filter.label}
        value={text}
        onChange={setText}
        {...(filter.placeholder === undefined ? {} : { placeholder: filter.placeholder })}
        autoFocus
      />
      <Button type="submit">Filter</Button>
    </form>
  );
}

/** Lists longer than this have a field to find an option. */
const MAX_PLAIN_OPTIONS = 8;
const MAX_SHOWN = 100;

interface OptionFilterProps {
  options: readonly { value: string; label: string }[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function OptionFilter({ options, value, onChange }: OptionFilterProps) {
  const [text, setText] = useState('');
  const found = options.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <div className={styles['options']}>
      {options.length > MAX_PLAIN_OPTIONS && (
        <TextField label="Find" hideLabel placeholder="Find" value={text} onChange={setText} autoFocus />
      )}
      {found.slice(0, MAX_SHOWN).map((option, index) => (
        <AriaButton
          key={option.value}
          className={menus['item'] ?? ''}
          autoFocus={index === 0 && options.length <= MAX_PLAIN_OPTIONS}
          aria-pressed={option.value === value}
          onPress={() => onChange(option.value)}
        >
          {option.label}
        </AriaButton>
      ))}
      {found.length === 0 && <p className={`muted small ${styles['none']}`}>Nothing has this name.</p>}
      {found.length > MAX_SHOWN && (
        <p className={`muted small ${styles['none']}`}>{found.length - MAX_SHOWN} more. Type to find one.</p>
      )}
    </div>
  );
}
