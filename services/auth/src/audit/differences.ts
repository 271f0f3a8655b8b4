/** The attributes of something as short texts, by name; empty: none. */
export type AttributeTexts = Readonly<Record<string, string>>;

/** What an attribute without a text means, where it is not `none`. */
const UNSET: AttributeTexts = { allowed_models: 'all' };
/** Maximum length of a text in the audit log. */
const MAX_TEXT = 200;

/** The attributes of something new that are set. */
export function setAttributes(attributes: AttributeTexts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([, text]) => text !== '')
      .map(([name, text]) => [name, short(text)]),
  );
}

/** The attributes that have changed, as `old → new`. */
export function changedAttributes(before: AttributeTexts, after: AttributeTexts): Record<string, string> {
  const changed = Object.entries(after).filter(([name, text]) => before[name] !== text);
  return Object.fromEntries(
    changed.map(([name, text]) => [name, `${shown(name, before[name])} → ${shown(name, text)}`]),
  );
}

function shown(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? (UNSET[name] ?? 'none') : short(text);
}

function short(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
