import type { WireRequest } from '@tollgate/test-support/gateway/http';

/**
 * Parses a `curl` command of the documentation, to run examples as written on a machine without curl. Throws on options
 * that the examples do not use.
 *
 * @param variables values of `$NAME`
 */
export function readCurl(command: string, variables: Record<string, string>): WireRequest & { origin: string } {
  const [program, ...words] = wordsOf(command, variables);
  if (program !== 'curl') throw new Error(`not a curl command: ${command}`);
  const headers: Record<string, string> = {};
  const data: string[] = [];
  let url: URL | undefined;
  let inQuery = false;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-sS') continue;
    if (word === '-G') inQuery = true;
    else if (word === '-H') {
      const [name = '', value = ''] = (words.shift() ?? '').split(/: (.*)/s);
      headers[name] = value;
    } else if (word === '-d') data.push(words.shift() ?? '');
    else if (word === '--data-urlencode') {
      const [name = '', value = ''] = (words.shift() ?? '').split(/=(.*)/s);
      data.push(`${name}=${encodeURIComponent(value)}`);
    } else if (/^https?:/.test(word)) url = new URL(word);
    else throw new Error(`unknown option: ${word}`);
  }
  if (url === undefined) throw new Error(`no URL in ${command}`);
  const query = [url.search.slice(1), ...(inQuery ? data : [])].filter((part) => part !== '').join('&');
  return {
    origin: url.origin,
    path: `${url.pathname}${query === '' ? '' : `?${query}`}`,
    headers,
    ...(inQuery || data.length === 0 ? {} : { method: 'POST', body: data.join('&') }),
  };
}

/** The commands of a document's `sh` blocks that start with curl, with continued lines joined. */
export function curlCommands(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap((block) =>
    (block[1] ?? '')
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line.startsWith('curl ')),
  );
}

/** Splits words like a shell: with both kinds of quotes, and variables outside of single ones. */
function wordsOf(command: string, variables: Record<string, string>): string[] {
  const expand = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`$${name} is not set`);
      return value;
    });
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    [...word.matchAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g)]
      .map(([, single, double, bare]) => single ?? expand(double ?? bare ?? ''))
      .join(''),
  );
}
