import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A user of this machine. */
export interface User {
  name: string;
  uid: number;
  gid: number;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The first of these users that the machine has. */
export function findUser(names: string[]): User | undefined {
  const users = readUsers();
  for (const name of names) {
    const user = users.find((candidate) => candidate.name === name);
    if (user !== undefined) return user;
  }
  return undefined;
}

/** The user with this id, if the machine knows one. */
export function userOfId(uid: number): User | undefined {
  return readUsers().find((user) => user.uid === uid);
}

function readUsers(): User[] {
  const users: User[] = [];
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , uid, gid] = line.split(':');
    if (name !== '') users.push({ name, uid: Number(uid), gid: Number(gid) });
  }
  return users;
}

/** The first folder on a path that other users than its owner may not enter. Skips folders that do not exist. */
export function closedAncestor(path: string): string | undefined {
  const closed: string[] = [];
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats !== undefined && (stats.mode & 0o001) === 0) closed.push(folder);
    if (folder === dirname(folder)) return closed.at(-1);
  }
}
