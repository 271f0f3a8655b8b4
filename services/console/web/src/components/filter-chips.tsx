import { useState } from 'react';
import { Button as AriaButton, DialogTrigger, Popover, Dialog as PopoverDialog } from 'react-aria-components';
import { useSearchParams } from '../url/search-params.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import styles from './filter-chips.module.css';
import { ChevronDownIcon, CrossIcon } from './icons.tsx';
import menus from './menu.module.css';

export interface FilterOption {
  value: string;
  label: string;
  /** What tells apart options with the same label. */
  detail?: string | undefined;
}

export interface Filter {
  /** Its parameter in the address. */
  name: string;
  /** `Model` */
  label: string;
  /** Values to choose from. Without them, a text is entered. */
  options?: readonly FilterOption[] | undefined;
  /** The text in the field of a list whose options the server finds; without it the list has all options. */
  find?: { text: string; onChange: (text: string) => void } | undefined;
  /** Options are loaded once the list is opened. */
  onOpen?: (() => void) | undefined;
  isLoading?: boolean;
  /** The chosen value as people read it, if it may not be one of the options. */
  shown?: string | undefined;
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
  const shown = filter.shown ?? filter.options?.find((option) => option.value === value)?.label ?? value;
  const choose = (next: string | undefined) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <span className={styles['chip']} data-set={value !== undefined}>
      <DialogTrigger
        isOpen={isOpen}
        onOpenChange={(open) => {
          setOpen(open);
          filter.find?.onChange('');
          if (open) filter.onOpen?.();
        }}
      >
        <AriaButton className={styles['open'] ?? ''}>
          {filter.label}
          {shown === undefined ? <ChevronDownIcon /> : <span className={styles['value']}>{shown}</span>}
        </AriaButton>
        <Popover className={menus['popover'] ?? ''} placement="bottom start" offset={4}>
          <PopoverDialog className={styles['dialog'] ?? ''} aria-label={`Filter by ${filter.label.toLowerCase()}`}>
            {filter.options === undefined ? (
              <TextFilter filter={filter} value={value ?? ''} onChange={choose} />
            ) : (
              <OptionFilter
                options={filter.options}
                find={filter.find}
                isLoading={filter.isLoading ?? false}
                value={value}
                onChange={choose}
              />
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
  options: readonly FilterOption[];
  find: Filter['find'];
  isLoading: boolean;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function OptionFilter({ options, find, isLoading, value, onChange }: OptionFilterProps) {
  const [ownText, setText] = useState('');
  const text = find?.text ?? ownText;
  const found = find === undefined ? optionsWith(options, text) : options;
  const hasField = find !== undefined || options.length > MAX_PLAIN_OPTIONS;
  return (
    <div className={styles['options']} aria-busy={isLoading}>
      {hasField && (
        <TextField
          label="Find"
          hideLabel
          placeholder="Find"
          type="search"
          value={text}
          onChange={find?.onChange ?? setText}
          autoFocus
        />
      )}
      {found.slice(0, MAX_SHOWN).map((option, index) => (
        <AriaButton
          key={option.value}
          className={menus['item'] ?? ''}
          autoFocus={index === 0 && !hasField}
          aria-pressed={option.value === value}
          onPress={() => onChange(option.value)}
        >
          <span>
            {option.label}
            {option.detail !== undefined && <span className={menus['detail']}>{option.detail}</span>}
          </span>
        </AriaButton>
      ))}
      <p className={`muted small ${styles['none']}`} role="status">
        {note(found.length, isLoading)}
      </p>
    </div>
  );
}

function note(found: number, isLoading: boolean): string | null {
  if (isLoading) return 'Loading';
  if (found === 0) return 'Nothing has this name.';
  return found > MAX_SHOWN ? `${found - MAX_SHOWN} more. Type to find one.` : null;
}

function optionsWith(options: readonly FilterOption[], text: string): readonly FilterOption[] {
  const wanted = text.trim().toLowerCase();
  return options.filter(({ label }) => label.toLowerCase().includes(wanted));
}
