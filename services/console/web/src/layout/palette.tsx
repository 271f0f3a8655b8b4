import { type KeyboardEvent, useId, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useLocation } from 'wouter';
import { useAccountIfAny } from '../account/account-context.tsx';
import { messageOf } from '../api/error.ts';
import { useRead } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { useDelayed } from '../components/use-delayed.ts';
import { readLeaked } from '../pages/keys/leaked.ts';
import styles from './palette.module.css';
import {
  type Found,
  type FoundInAll,
  foundEntries,
  foundInAllEntries,
  type PaletteEntry,
  pageEntries,
} from './palette-entries.ts';
import { useSignOut } from './person-menu.tsx';

interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
  onHelp: () => void;
}

/** Finds pages, actions, keys, requests, models and members. */
export function Palette({ isOpen, onClose, onHelp }: PaletteProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className={styles['scrim'] ?? ''}
    >
      <Modal className={styles['modal'] ?? ''}>
        <Dialog className={styles['dialog'] ?? ''}>
          <Heading slot="title" className="hidden">
            Search
          </Heading>
          <Search onClose={onClose} onHelp={onHelp} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Search({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const session = useSession();
  const account = useAccountIfAny();
  const [, navigate] = useLocation();
  const signOut = useSignOut();
  const listId = useId();
  const query = useDelayed(searchable(text), 150);
  const isOperator = session.person.is_operator && session.view_as === null;
  const found = useRead(
    'GET /accounts/{account_id}/search',
    { path: { account_id: account?.accountId ?? '' }, query: { q: query } },
    { enabled: account !== null && query !== '', keepPrevious: true },
  );
  const foundInAll = useRead(
    'GET /operator/search',
    { query: { q: query } },
    { enabled: isOperator && query !== '', keepPrevious: true },
  );
  const results: readonly Found[] = text.trim() === '' ? [] : (found.data?.data ?? []);
  const resultsInAll: readonly FoundInAll[] = text.trim() === '' ? [] : (foundInAll.data?.data ?? []);
  const pages = pageEntries(text, account, session, { onHelp, onSignOut: () => void signOut() });
  const entries: PaletteEntry[] = [
    ...foundEntries(results, account),
    ...foundInAllEntries(resultsInAll, results),
    ...pages,
  ];
  // Results of a text that has changed since must not open on Enter.
  const isStale = query !== searchable(text) || found.isPlaceholderData || foundInAll.isPlaceholderData;
  const current = Math.min(chosen, entries.length - 1);

  const open = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    if (entry.href !== undefined) navigate(entry.href);
    else entry.run?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setChosen((current + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (!isStale || current >= entries.length - pages.length) open(entries[current]);
    }
  };

  return (
    <>
      <input
        className={styles['input']}
        placeholder={`Search ${isOperator ? 'accounts, ' : ''}keys, requests, models, members, pages`}
        aria-label="Search"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={entries.length === 0 ? undefined : `${listId} ${current}`}
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the person opened the search to type in it.
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles['list']} id={listId} role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <Option
            key={entry.id}
            id={`${listId} ${index}`}
            entry={entry}
            isChosen={index === current}
            onOpen={() => open(entry)}
          />
        ))}
      </div>
      {foundInAll.data?.complete === false && text.trim() !== '' && (
        <p className={styles['note']}>
          There are too many accounts to look for this request in all of them. Open its account, then search again.
        </p>
      )}
      {entries.length === 0 && !found.isFetching && !foundInAll.isFetching && (
        <p className={styles['note']}>
          {found.isError || foundInAll.isError
            ? messageOf(found.error ?? foundInAll.error)
            : 'Nothing found. Try a name, the last four characters of a key, or a trace id.'}
        </p>
      )}
    </>
  );
}

/** A pasted key does not leave the browser: it is found by its last four characters. */
function searchable(text: string): string {
  const input = readLeaked(text);
  return input.kind === 'key' ? input.lastFour : text.trim();
}

interface OptionProps {
  id: string;
  entry: PaletteEntry;
  isChosen: boolean;
  onOpen: () => void;
}

function Option({ id, entry, isChosen, onOpen }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles keys.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={styles['option']}
      ref={(element) => {
        if (isChosen) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={onOpen}
    >
      <span>
        {entry.title}
        {entry.subtitle !== '' && <span className={styles['subtitle']}>{entry.subtitle}</span>}
      </span>
      <span className={styles['kind']}>{entry.kind}</span>
    </div>
  );
}
