/** Whether keys are text for a field, not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const COMMAND_K = isMac ? '⌘K' : 'Ctrl K';

export const SHORTCUTS: readonly { keys: string; does: string }[] = [
  { keys: COMMAND_K, does: 'Search keys, requests, models, members, pages and actions' },
  { keys: '?', does: 'Show these shortcuts' },
  { keys: 'Tab', does: 'Go to the next control; in a table, to the row in focus' },
  { keys: '↑ ↓', does: 'Move between rows' },
  { keys: 'PgUp PgDn', does: 'Move ten rows' },
  { keys: 'Home End', does: 'Go to the first or last row' },
  { keys: 'Enter', does: 'Open the row' },
  { keys: 'Esc', does: 'Close a dialog or menu' },
];
