const PREFIX = 'models/';

/** A model's name without the `models/` that Google's names begin with. */
export function bareModelName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

/** A model's name with Google's `models/`. */
export function modelResource(name: string): string {
  return PREFIX + bareModelName(name);
}

/** The path of one of a model's methods under the provider's base URL. Slashes and colons of a name are not encoded. */
export function methodPath(name: string, method: string): string {
  const encoded = modelResource(name).replace(/[^A-Za-z0-9._~:/@+-]/gu, encodeURIComponent);
  return `/${encoded}:${method}`;
}
