import type { Logger } from '@tollgate/common/logging';
import { meterOf } from '@tollgate/common/telemetry';

/** What somebody must look at: money that is not booked as the provider has it. */
export interface Findings {
  /** Logs and counts one; `finding` is the label of the metric. */
  report: (finding: string, details: Readonly<Record<string, unknown>>) => void;
}

/** Logs findings as errors, and counts them. */
export function createFindings(logger: Logger): Findings {
  const counter = meterOf('tollgate-payments').createCounter('tollgate_payments_findings', {
    description: 'Payments that are not booked as the payment provider has them, by what is wrong',
  });
  return {
    report: (finding, details) => {
      counter.add(1, { finding });
      logger.error({ finding, ...details }, 'a payment needs somebody to look at it');
    },
  };
}
