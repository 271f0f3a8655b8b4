import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where systems install libraries, Debian's first. */
const FOLDERS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib'];

/** Path of mimalloc, from which the image of the ingress allocates its memory; undefined where it is not installed. */
export function findMimalloc(): string | undefined {
  return FOLDERS.map((folder) => join(folder, 'libmimalloc.so.2')).find((path) => existsSync(path));
}
