/** Returns a variable of the router's environment. */
export type VariableLookup = (name: string) => string | undefined;

export type BaseUrlResult = { ok: true; url: string } | { ok: false; message: string };

const VARIABLE = /\$\{([^}]*)\}/g;

/**
 * Expands the variables in a base URL and checks the result: http or https, without credentials, query and fragment.
 *
 * @returns the URL without a trailing slash
 */
export function expandBaseUrl(template: string, lookup: VariableLookup): BaseUrlResult {
  for (const [, name = ''] of template.matchAll(VARIABLE)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return invalid(`\${${name}} is not the name of a variable`);
    if (/(KEY|TOKEN|SECRET|PASSWORD)$/.test(name))
      return invalid(`\${${name}} names a credential, which a URL must not hold`);
    if (!lookup(name)) return invalid(`the environment variable ${name} is not set`);
  }
  const text = template.replaceAll(VARIABLE, (_, name: string) => lookup(name) ?? '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return invalid('must be an http or https URL');
  if (url.username !== '' || url.password !== '') return invalid('must not contain credentials: use api_key');
  if (url.search !== '' || url.hash !== '') return invalid('must have no query and no fragment');
  return { ok: true, url: text.replace(/\/+$/, '') };
}

function invalid(message: string): BaseUrlResult {
  return { ok: false, message };
}
