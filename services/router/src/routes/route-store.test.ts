import { readFileSync } from 'node:fs';
import { createLogger } from '@tollgate/common/logging';
import { type Outcome, OutcomeKind } from '@tollgate/proto/router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { catalogueFromText } from '../catalogue/load.ts';
import { HealthBoard } from '../health/health-board.ts';
import { CONSECUTIVE_FAILURES, FIRST_PAUSE_MS } from '../health/limits.ts';
import { RouteStore } from './route-store.ts';

const TEXT = readFileSync(new URL('../../../../deploy/catalogue/simulated.yaml', import.meta.url), 'utf8');
const DEPLOYMENT = 'simulated-small@simulator';

let store: RouteStore;
let versions: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  store = new RouteStore(new HealthBoard(), Date.now, createLogger('test', 'silent'));
  versions = [];
  store.onChange(() => versions.push(store.table.version));
  store.setRoutes(load(TEXT));
});
afterEach(() => {
  store.close();
  vi.useRealTimers();
});

function load(text: string) {
  return catalogueFromText('f', text, () => 'http://127.0.0.1:1').routes;
}

function fail(): void {
  const outcome: Outcome = {
    deploymentId: DEPLOYMENT,
    kind: OutcomeKind.FAILURE,
    durationMs: 1,
    httpStatus: 500,
    trace: undefined,
    furtherDurationsMs: [],
  };
  store.record(Array.from({ length: CONSECUTIVE_FAILURES }, () => outcome));
}

function inRotation(): boolean | undefined {
  return store.table.models[0]?.deployments.find(({ deploymentId }) => deploymentId === DEPLOYMENT)?.inRotation;
}

describe('the route store', () => {
  it('returns a deployment to rotation after a while, and notifies of each change once', () => {
    const [healthy] = versions;
    fail();
    expect(inRotation()).toBe(false);
    vi.advanceTimersByTime(FIRST_PAUSE_MS - 1);
    expect(inRotation()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(inRotation()).toBe(true);
    expect(versions).toEqual([healthy, expect.not.stringMatching(healthy ?? ''), healthy]);
  });

  it('keeps what it knows of deployments that stay when the catalogue changes', () => {
    fail();
    store.setRoutes(load(TEXT.replace('input: 0.15', 'input: 0.16')));
    expect(inRotation()).toBe(false);
    store.setRoutes(load(TEXT.replace('id: simulated-small', 'id: renamed')));
    store.setRoutes(load(TEXT));
    expect(inRotation()).toBe(true);
  });

  it('has the same version for the same table, wherever it is made', () => {
    const other = new RouteStore(new HealthBoard(), Date.now, createLogger('test', 'silent'));
    other.setRoutes(load(TEXT));
    expect(other.table.version).toBe(store.table.version);
    other.setRoutes(load(TEXT.replace('input: 0.15', 'input: 0.16')));
    expect(other.table.version).not.toBe(store.table.version);
  });
});
