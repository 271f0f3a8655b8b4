/** Finds a variable of the router's environment. */
export type VariableLookup = (name: string) => string | undefined;

export type BaseUrlResult = { ok: true; url: string } | { ok: false; message: string };

const VARIABLE = /\$\{([^}]*)\}/g;

/**
 * Puts variables into a base URL and checks what comes out: http or https, without credentials, query and fragment.
 *
 * @returns the URL without a trailing slash
 */
export function expandBaseUrl(template: string, lookup: VariableLookup): BaseUrlResult {
  for (const [, name = ''] of template.matchAll(VARIABLE)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return refuse(`\${${name}} is not the name of a variable`);
    if (/(KEY|TOKEN|SECRET|PASSWORD)$/.test(name))
      return refuse(`\${${name}} names a credential, which a URL must not hold`);
    if (!lookup(name)) return refuse(`the environment variable ${name} is not set`);
  }
  const text = template.replaceAll(VARIABLE, (_, name: string) => lookup(name) ?? '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return refuse('must be an http or https URL');
  if (url.username !== '' || url.password !== '') return refuse('must not hold credentials: use api_key');
  if (url.search !== '' || url.hash !== '') return refuse('must have no query and no fragment');
  return { ok: true, url: text.replace(/\/+$/, '') };
}

function refuse(message: string): BaseUrlResult {
  return { ok: false, message };
}
