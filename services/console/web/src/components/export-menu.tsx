import { ChevronDownIcon } from './icons.tsx';
import { Menu } from './menu.tsx';

/** Downloads what a list shows, with its filters: `address('GET …/export', …)` for each format. */
export function ExportMenu({ addressOf }: { addressOf: (format: 'csv' | 'json') => string }) {
  return (
    <Menu
      look="secondary"
      entries={[
        { label: 'CSV', detail: 'For spreadsheets', onAction: () => download(addressOf('csv')) },
        { label: 'JSON', detail: 'One object a line', onAction: () => download(addressOf('json')) },
      ]}
    >
      Export
      <ChevronDownIcon />
    </Menu>
  );
}

/** Saves a file. The page stays even if the server refuses it. */
export function download(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}
