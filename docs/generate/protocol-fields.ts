import { readFileSync } from 'node:fs';
import { PROTOCOL_NAMES, type ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { FIELD_OUTCOMES, type FieldRow, parseFieldTables } from '@tollgate/protocols/testing/translate/field-table';
import { between } from './between.ts';

const MARKS = {
  begin: '<!-- Fields of services/protocols/testing/field-tables, written by `make docs` -->\n',
  end: '<!-- End of the fields -->\n',
};
const DATA = '../../services/protocols/testing/field-tables';

/** The pages of docs/reference/protocols with the fields of their tested tables, by path from docs/generate. */
export function renderProtocolFields(): Record<string, string> {
  return Object.fromEntries(
    PROTOCOL_NAMES.map((name) => [`../reference/protocols/${name}.md`, renderPage(name)] as const),
  );
}

function renderPage(name: ProtocolName): string {
  const page = readFileSync(new URL(`../reference/protocols/${name}.md`, import.meta.url), 'utf8');
  const rows = parseFieldTables(readFileSync(new URL(`${DATA}/${name}.md`, import.meta.url), 'utf8'));
  const { before, after } = between(page, MARKS);
  return `${before}${MARKS.begin}\n${renderTable(rows)}\n${MARKS.end}${after}`;
}

/** Fields by outcome: the most common outcome of a kind first. */
function renderTable(rows: readonly FieldRow[]): string {
  const groups = [...Map.groupBy(rows, ({ outcome }) => outcome)].sort(
    ([one, { length }], [other, { length: otherLength }]) => rankOf(one) - rankOf(other) || otherLength - length,
  );
  const lines = groups.map(([outcome, members]) => `| ${outcome} | ${renderFields(members)} |\n`);
  return `| outcome | fields |\n|---|---|\n${lines.join('')}`;
}

function rankOf(outcome: string): number {
  return FIELD_OUTCOMES.findIndex((one) => outcome.startsWith(one));
}

/** Fields of one name are listed once, with all their notes. */
function renderFields(rows: readonly FieldRow[]): string {
  const byName = Map.groupBy(rows, ({ field }) => field);
  return [...byName].map(([field, same]) => `\`${field}\`${renderNotes(same)}`).join(', ');
}

function renderNotes(rows: readonly FieldRow[]): string {
  const notes = rows.flatMap(({ note }) => (note === '' ? [] : [note]));
  return notes.length === 0 ? '' : ` (${notes.join('; ').replaceAll('](../../../../docs/reference/', '](../')})`;
}
