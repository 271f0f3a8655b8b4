import type { WireRequest } from '@tollgate/test-support/gateway/http';

/**
 * Reads a `curl` command of the documentation as a request, so that examples can be run as written on a machine without
 * curl. Knows the options that they use, and throws on any other.
 *
 * @param variables what `$NAME` stands for
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
    else throw new Error(`an option that is not known here: ${word}`);
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

/** The commands of a document's `sh` blocks that begin with curl, continued lines joined. */
export function curlCommands(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap((block) =>
    (block[1] ?? '')
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line.startsWith('curl ')),
  );
}

/** Words as a shell parts them: quotes of both kinds, variables outside of single ones. */
function wordsOf(command: string, variables: Record<string, string>): string[] {
  const expand = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`$${name} is not known here`);
      return value;
    });
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    [...word.matchAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g)]
      .map(([, single, double, bare]) => single ?? expand(double ?? bare ?? ''))
      .join(''),
  );
}
