/** The value at a path of keys and indexes; undefined if there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** The text at a path; throws if there is none. */
export function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== 'string') throw new Error(`${path.join('.')} is no text in ${JSON.stringify(value)}`);
  return found;
}

/** The list at a path; throws if there is none. */
export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  if (!Array.isArray(found)) throw new Error(`${path.join('.')} is no list in ${JSON.stringify(value)}`);
  return found;
}

/** The JSON text of the number at `"name":` in a JSON text, unchanged. */
export function spelledNumber(json: string, name: string): string | undefined {
  return new RegExp(`"${name}":\\s*(-?[0-9][0-9.eE+-]*)`).exec(json)?.[1];
}
