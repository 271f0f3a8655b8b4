import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';

/** The text of docs/providers/<name>.md. */
export function providerPage(name: string): string {
  return readFileSync(join(CHECKOUT, `docs/providers/${name}.md`), 'utf8');
}

/** The YAML under the heading "Catalogue entry" of a page. */
export function catalogueText(page: string): string {
  const found = /\n## Catalogue entry\n[\s\S]*?\n```yaml\n([\s\S]*?)\n```/.exec(page)?.[1];
  if (found === undefined) throw new Error('the page has no catalogue entry');
  return found;
}
