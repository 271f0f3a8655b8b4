import { constants, copyFile, link, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@tollgate/common/logging';

/** Maximum number of copies, each of one segment. A new one replaces the oldest. */
export const MAX_COPIES = 8;

const SUFFIX = '.damaged';

/**
 * Copies of damaged segments, kept for an operator beside the segments. Where the file system supports it, a copy is a
 * hard link, which takes no space on a full disk; segments no longer change once they are read.
 */
export class DamagedCopies {
  readonly #folder: string;
  readonly #logger: Logger;
  #count = 0;

  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** Number of copies in the folder as of the last `recount` or `keep`. */
  get count(): number {
    return this.#count;
  }

  /** Counts the copies again, as an operator may have removed some. */
  async recount(): Promise<void> {
    this.#count = (await this.#names()).length;
  }

  /** Keeps a copy of a segment. Returns its path; undefined when the copy fails, which is logged. */
  async keep(path: string): Promise<string | undefined> {
    const copy = `${path}${SUFFIX}`;
    try {
      await copyOnce(path, copy);
      await this.#removeOldest();
      return copy;
    } catch (error) {
      this.#logger.error({ path, err: error }, 'a damaged journal segment cannot be copied');
      return undefined;
    }
  }

  async #names(): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => name.endsWith(SUFFIX));
  }

  async #removeOldest(): Promise<void> {
    const copies = await Promise.all(
      (await this.#names()).map(async (name) => {
        const path = join(this.#folder, name);
        return { path, writtenMs: (await stat(path)).mtimeMs };
      }),
    );
    copies.sort((a, b) => b.writtenMs - a.writtenMs);
    for (const { path } of copies.splice(MAX_COPIES)) {
      this.#logger.warn({ path }, 'removing the oldest copy of a damaged journal segment');
      await rm(path, { force: true });
    }
    this.#count = copies.length;
  }
}

/** Links a file under another name, or copies it where links are not supported. Leaves an existing copy unchanged. */
async function copyOnce(path: string, copy: string): Promise<void> {
  try {
    await link(path, copy);
  } catch (error) {
    if (isExisting(error)) return;
    await copyFile(path, copy, constants.COPYFILE_EXCL).catch(async (failed: unknown) => {
      if (isExisting(failed)) return;
      await rm(copy, { force: true });
      throw failed;
    });
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
