import { findFreePort } from '@tollgate/local';
import { startTelemetry } from '../src/telemetry.ts';

/** The metrics of the test process, as Prometheus reads them. */
export interface TestMetrics {
  /** The value of a metric with these labels, and perhaps others; undefined if there is none. */
  value: (name: string, labels?: Readonly<Record<string, string>>) => Promise<number | undefined>;
  stop: () => Promise<void>;
}

/** Starts to record metrics in this process. */
export async function startTestMetrics(): Promise<TestMetrics> {
  const metricsPort = await findFreePort();
  const telemetry = startTelemetry({ service: 'test', metricsPort, host: '127.0.0.1' });
  return {
    value: async (name, labels = {}) => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const found = text.split('\n').find((line) => isOf(line, name, labels));
      return found === undefined ? undefined : Number(found.slice(found.lastIndexOf(' ') + 1));
    },
    stop: () => telemetry.shutdown(),
  };
}

function isOf(line: string, name: string, labels: Readonly<Record<string, string>>): boolean {
  return (
    (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
    Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`))
  );
}
