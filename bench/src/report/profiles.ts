import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areasOf } from './areas.ts';
import { number, table } from './text.ts';

/** Areas with a smaller share are left out. */
const MIN_SHARE = 0.01;
/** `CPU.<date>.<time>.<pid>.<thread>.<sequence>.cpuprofile` */
const NAME = /^CPU\.\d+\.\d+\.(\d+)\..*\.cpuprofile$/;

/** Where the main thread of each service spent its time, from the profiles that the services wrote when they ended. */
export function renderProfiles(folder: string, pids: Readonly<Record<string, number>>): string {
  const files = readdirSync(folder);
  const rows = ['ingress', 'ledger', 'router', 'auth'].flatMap((service) => {
    const file = files.find((name) => Number(NAME.exec(name)?.[1]) === pids[service]);
    if (file === undefined) throw new Error(`${folder} has no profile of ${service}`);
    const areas = areasOf(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    const shown = areas.filter(({ share }) => share >= MIN_SHARE);
    return shown.map(({ area, share }) => [`${service}: ${area}`, `${number(share * 100)} %`]);
  });
  return table(['busy time of the main thread, by area', ''], rows).join('\n');
}
