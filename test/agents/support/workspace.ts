import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { makeTemporaryFolder, type TemporaryFolder } from '@tollgate/test-support/temporary-folder';

/** Home folders are not in /tmp, where Codex does not put its helper programs. */
const HOMES = join(CHECKOUT, '.cache/agents-test/homes');

/** The folders of one cell. */
export interface CellFolders {
  home: string;
  /** The agent's working folder. */
  work: string;
}

/** The folders of the agents of one test file, each cell with a home and a working folder of its own. */
export class Workspace {
  readonly #homes: string;
  readonly #temporary: TemporaryFolder;

  /** @param name of the test file; folders that an earlier run left are removed */
  constructor(name: string) {
    this.#homes = join(HOMES, name);
    rmSync(this.#homes, { recursive: true, force: true });
    this.#temporary = makeTemporaryFolder();
  }

  /** A new folder for files that are not the agent's, such as sockets. */
  folder(name: string): string {
    const path = join(this.#temporary.path, name);
    mkdirSync(path);
    return path;
  }

  cell(name: string): CellFolders {
    const home = join(this.#homes, name);
    mkdirSync(home, { recursive: true });
    return { home, work: this.folder(name) };
  }

  remove(): void {
    rmSync(this.#homes, { recursive: true, force: true });
    this.#temporary.remove();
  }
}

/** Agents keep megabytes in their homes, so each is removed once its cell is over. */
export function removeHome({ home }: CellFolders): void {
  rmSync(home, { recursive: true, force: true });
}
