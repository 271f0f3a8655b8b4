import type { Block } from './client-setup.ts';
import { type Connection, KEY_PLACEHOLDER, keyVariable } from './connection.ts';
import { shellWord } from './quote.ts';

/** Sets the environment variable that the other blocks read, so that the key is in no source file. */
export function exportBlock({ serviceName, secret }: Connection): Block {
  return {
    title: 'Environment',
    language: 'shell',
    code: exportLines({ [keyVariable(serviceName)]: secret ?? KEY_PLACEHOLDER }),
  };
}

/** Shell lines that set variables, with the command that they are for. */
export function exportLines(variables: Readonly<Record<string, string>>, ...commands: string[]): string {
  const exports = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${value === KEY_PLACEHOLDER ? value : shellWord(value)}`,
  );
  return [...exports, ...commands].join('\n');
}
