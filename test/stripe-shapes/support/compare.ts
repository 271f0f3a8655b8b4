/** Fields whose names users choose. */
const FREE = new Set(['metadata']);

/**
 * Compares the fields of an object with those of its model.
 *
 * @returns the differences, as the path of a field and what is wrong with it. `null` is every type. In a list every member is
 *   compared with the first of the model's list.
 */
export function compare(ours: unknown, model: unknown, path: string): string[] {
  if (ours === null || model === null || model === undefined) return [];
  const [type, wanted] = [typeOf(ours), typeOf(model)];
  if (type !== wanted) return [`${path}: is a ${type}, not a ${wanted}`];
  if (Array.isArray(ours) && Array.isArray(model)) {
    return [...new Set(ours.flatMap((member) => compare(member, model[0], `${path}[]`)))];
  }
  if (!isGroup(ours) || !isGroup(model)) return [];
  const names = [...new Set([...Object.keys(ours), ...Object.keys(model)])].sort();
  return names.flatMap((name) => {
    const field = `${path}.${name}`;
    if (!Object.hasOwn(model, name)) return [`${field}: is not there`];
    if (!Object.hasOwn(ours, name)) return [`${field}: is missing`];
    return FREE.has(name) ? [] : compare(ours[name], model[name], field);
  });
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
