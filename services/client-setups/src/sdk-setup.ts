import type { ClientSetup } from './client-setup.ts';
import type { Connection } from './connection.ts';
import { exportBlock } from './environment.ts';

/** What examples ask the model. */
export const PROMPT = 'Hello';

/** The setup of a library: the environment, and a first request in each language. */
export function sdkSetup(
  id: string,
  label: string,
  connection: Connection,
  code: { javascript: string; python: string },
): ClientSetup {
  return {
    id,
    label,
    blocks: [
      exportBlock(connection),
      { title: 'JavaScript', language: 'javascript', code: code.javascript },
      { title: 'Python', language: 'python', code: code.python },
    ],
    note: null,
  };
}
