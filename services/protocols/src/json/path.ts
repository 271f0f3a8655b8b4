const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** Longest key shown in full in a path. */
const MAX_KEY_CHARACTERS = 64;

function segment(key: string): string {
  if (key.length <= MAX_KEY_CHARACTERS && PLAIN_KEY.test(key)) return key;
  const shown = key.length > MAX_KEY_CHARACTERS ? `${key.slice(0, MAX_KEY_CHARACTERS)}…` : key;
  return `[${JSON.stringify(shown)}]`;
}

/** `messages` + `role` is `messages.role`; any other key is in brackets, as in `tools["a b"]`. */
export function appendKey(path: string, key: string): string {
  const next = segment(key);
  return path === '' || next.startsWith('[') ? path + next : `${path}.${next}`;
}

/** Puts a key before a path. */
export function prependKey(key: string, path: string): string {
  return path === '' || path.startsWith('[') ? segment(key) + path : `${segment(key)}.${path}`;
}

/** Puts an array index before a path. */
export function prependIndex(index: number, path: string): string {
  return path === '' || path.startsWith('[') ? `[${index}]${path}` : `[${index}].${path}`;
}

/** Formats zod's path segments, such as `messages[2].content`. */
export function formatPath(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const part of segments) {
    path = typeof part === 'number' ? `${path}[${part}]` : appendKey(path, String(part));
  }
  return path;
}
