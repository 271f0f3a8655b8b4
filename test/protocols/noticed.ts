/** What a planted fault has done in this process. */
export interface Noticed {
  /** Tests that run its code. */
  reached: boolean;
  /** The test that failed with it. */
  by: string | undefined;
  /** Why it has no effect: its own code is wrong. */
  broken: string | undefined;
}

/** By name of the fault. Shared by all test files: they run in one process, which loads modules once. */
export const NOTICED = new Map<string, Noticed>();

/** What chooses the result of functions with planted faults, see `Sources.plantChoice`. */
export const CHOOSER = 'resultWithFault';

/** The fault that is active. */
let active: string | undefined;
let reached = new Set<string>();
let returns = 0;

/** A fault may make a loop endless. */
const MAX_RETURNS = 1_000_000;

function resultWithFault(name: string, faulty: () => unknown, sound: unknown): unknown {
  reached.add(name);
  if (active === undefined) return sound;
  returns += 1;
  if (returns > MAX_RETURNS) throw new Error('The fault makes a loop endless');
  if (active !== name) return sound;
  try {
    return faulty();
  } catch (error) {
    if (error instanceof ReferenceError) entryOf(name).broken = error.message;
    throw error;
  }
}

Object.defineProperty(globalThis, CHOOSER, { value: resultWithFault });

function entryOf(name: string): Noticed {
  const entry = NOTICED.get(name) ?? { reached: false, by: undefined, broken: undefined };
  NOTICED.set(name, entry);
  return entry;
}

/** Runs a test without faults, then with each unnoticed fault that it reaches. A test that fails notices the fault. */
export async function withFaults(title: string, test: () => unknown): Promise<void> {
  reached = new Set();
  await test();
  for (const name of reached) {
    const entry = entryOf(name);
    entry.reached = true;
    if (entry.by !== undefined) continue;
    active = name;
    returns = 0;
    try {
      await test();
    } catch {
      entry.by = title;
    } finally {
      active = undefined;
    }
  }
}
