/** Text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Text as a JavaScript string in single quotes. */
export function javascriptString(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`);
  return `'${escaped}'`;
}

/** A JSON value as a Python expression. */
export function pythonValue(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((each) => `${inner}${pythonValue(each, inner)},\n`).join('')}${indent}]`;
  }
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  if (fields.length === 0) return '{}';
  const lines = fields.map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonValue(each, inner)},\n`);
  return `{\n${lines.join('')}${indent}}`;
}
