/** The attributes of something as short texts, by name; empty: none. */
export type AttributeTexts = Readonly<Record<string, string>>;

/** What an attribute without a text means, where it is not `none`. */
const UNSET: AttributeTexts = { allowed_models: 'all', project: 'default', projects: 'all' };
/** Maximum length of a text in the audit log. */
const MAX_TEXT = 200;
/** Characters that are shown before the first difference of two long texts. */
const CONTEXT = 20;

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
    changed.map(([name, text]) => {
      const known = before[name] ?? '';
      const from = short(known) === short(text) ? Math.max(0, firstDifference(known, text) - CONTEXT) : 0;
      return [name, `${shown(name, known, from)} → ${shown(name, text, from)}`];
    }),
  );
}

/** @param from where the shown part begins, so that long texts which begin alike show their difference */
function shown(name: string, text: string, from: number): string {
  if (text === '') return UNSET[name] ?? 'none';
  return from === 0 ? short(text) : `…${short(text.slice(from))}`;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function short(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
