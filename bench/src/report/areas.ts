import { z } from 'zod';

/** A CPU profile as V8 writes it: nodes of the call tree, and the node of each sample with the time before it. */
const profileSchema = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: z.object({ functionName: z.string(), url: z.string() }) })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/** Share of the busy time of a process's main thread by area, largest first; without the time in which it waited. */
export function areasOf(profile: unknown): { area: string; share: number }[] {
  const { nodes, samples, timeDeltas } = profileSchema.parse(profile);
  const areas = new Map(nodes.map(({ id, callFrame }) => [id, areaOf(callFrame.functionName, callFrame.url)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const area = areas.get(id);
    if (area === undefined) continue;
    // The time of a sample lasts until the next one.
    times.set(area, (times.get(area) ?? 0) + Math.max(0, timeDeltas[index + 1] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const shares = [...times].map(([area, time]) => ({ area, share: total === 0 ? 0 : time / total }));
  return shares.sort((a, b) => b.share - a.share);
}

const PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const FOLDER = /\/(services\/[^/]+|proto)\/(?:src\/)?([^/]+)/;

/** A package, a folder of a service, a part of Node.js or of V8; undefined for waiting. */
function areaOf(name: string, url: string): string | undefined {
  if (name === '(idle)') return undefined;
  if (name === '(garbage collector)') return 'garbage collection';
  if (name === '(program)') return 'native code and kernel';
  if (url.startsWith('node:'))
    return `node:${
      url
        .slice('node:'.length)
        .replace(/^internal\//, '')
        .split('/')[0] ?? ''
    }`;
  const [, dependency] = PACKAGE.exec(url) ?? [];
  if (dependency !== undefined) return dependency.startsWith('@opentelemetry/') ? '@opentelemetry' : dependency;
  const [, part, folder] = FOLDER.exec(url) ?? [];
  if (part !== undefined) return `${part}/${folder}`;
  return url === '' ? 'builtins' : 'other';
}
