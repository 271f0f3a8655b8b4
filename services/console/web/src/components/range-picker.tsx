import { useState } from 'react';
import { DAY, type Zone } from '../format/time.ts';
import { useZone } from '../format/zone.ts';
import { PRESETS, type Preset, type Range, type RangeBounds, startOfDay } from '../url/range.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { TextField } from './field.tsx';
import { ChevronDownIcon } from './icons.tsx';
import { Menu } from './menu.tsx';
import styles from './range-picker.module.css';

interface RangePickerProps {
  range: Range;
  onChange: (range: { preset: Preset } | RangeBounds) => void;
  presets?: readonly Preset[];
}

/** Chooses a time range: one that ends now, or days. Use with `useRange`, which keeps it in the address. */
export function RangePicker({ range, onChange, presets = ['24h', '7d', '30d', '90d'] }: RangePickerProps) {
  const [choosing, setChoosing] = useState(false);
  const [zone] = useZone();
  return (
    <>
      <Menu
        look="secondary"
        entries={[
          ...presets.map((preset) => ({
            label: PRESETS[preset].label,
            chosen: range.preset === preset,
            onAction: () => onChange({ preset }),
          })),
          'separator',
          { label: 'Choose days', chosen: range.preset === null, onAction: () => setChoosing(true) },
        ]}
      >
        <span className="hidden">Time range: </span>
        {range.label}
        <ChevronDownIcon />
      </Menu>
      <DaysDialog
        key={`${range.start} ${choosing}`}
        range={range}
        zone={zone}
        isOpen={choosing}
        onClose={() => setChoosing(false)}
        onChange={onChange}
      />
    </>
  );
}

interface DaysDialogProps {
  range: Range;
  zone: Zone;
  isOpen: boolean;
  onClose: () => void;
  onChange: (range: RangeBounds) => void;
}

function DaysDialog({ range, zone, isOpen, onClose, onChange }: DaysDialogProps) {
  const [first, setFirst] = useState(dateOf(new Date(range.start), zone));
  const [last, setLast] = useState(dateOf(new Date(Date.parse(range.end) - 1), zone));
  const bounds = boundsOf(first, last, zone);
  return (
    <Dialog title="Choose days" isOpen={isOpen} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (bounds === null) return;
          onChange(bounds);
          onClose();
        }}
      >
        <div className={styles['days']}>
          <TextField label="From" type="date" value={first} onChange={setFirst} isRequired autoFocus />
          <TextField label="To, inclusive" type="date" value={last} onChange={setLast} isRequired />
        </div>
        <p className="muted small">
          Days in {zone === 'utc' ? 'UTC' : 'the time zone of this computer'}.{' '}
          {bounds === null && 'The first day must not be after the last.'}
        </p>
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={bounds === null}>
            Show days
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** As `<input type="date">` has it: `2026-11-23`. */
function dateOf(time: Date, zone: Zone): string {
  const shifted = zone === 'utc' ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 10);
}

/** Null unless both are days, in order. */
export function boundsOf(first: string, last: string, zone: Zone): RangeBounds | null {
  const suffix = zone === 'utc' ? 'T00:00:00Z' : 'T00:00:00';
  const start = Date.parse(first + suffix);
  const lastDay = Date.parse(last + suffix);
  if (!(start <= lastDay)) return null;
  // Noon of the next day avoids days of 23 and 25 hours.
  const end = startOfDay(lastDay + 1.5 * DAY, zone);
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
}

const ZONES = { utc: 'UTC', local: 'Local time' } as const;

/** Switches all times of the console between UTC and the zone of this computer. */
export function ZonePicker() {
  const [zone, setZone] = useZone();
  return (
    <Menu
      look="secondary"
      entries={(['utc', 'local'] as const).map((each) => ({
        label: ZONES[each],
        ...(each === 'local' ? { detail: Intl.DateTimeFormat().resolvedOptions().timeZone } : {}),
        chosen: each === zone,
        onAction: () => setZone(each),
      }))}
    >
      <span className="hidden">Time zone: </span>
      {ZONES[zone]}
      <ChevronDownIcon />
    </Menu>
  );
}
