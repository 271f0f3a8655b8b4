import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { operatorToken } from '@tollgate/common/testing/actors';
import {
  CheckOutcome,
  CredentialState,
  ProbeReport,
  type ProbeTask,
  RouterServiceClient,
} from '@tollgate/proto/router';

const CALL = { deadlineMs: 20_000 };

/** Connects an ingress to a router that finds every provider in order. @returns disconnects it */
export async function connectTestIngress(address: string): Promise<() => void> {
  const client = createGrpcClient(RouterServiceClient, address, undefined, { actorToken: operatorToken });
  const stream = client.serveProbes();
  stream.on('error', () => undefined);
  stream.on('data', (task: ProbeTask) => stream.write(reportOf(task)));
  for (;;) {
    const { providers } = await unaryCall(client.listProviders.bind(client), {}, CALL);
    if (providers.some(({ credential }) => credential === CredentialState.PRESENT)) break;
  }
  return () => {
    stream.cancel();
    client.close();
  };
}

function reportOf({ taskId, task }: ProbeTask): ProbeReport {
  if (task?.$case !== 'test') {
    const deployments = [{ deploymentId: 'small@sim', state: CredentialState.PRESENT }];
    return ProbeReport.fromPartial({ taskId, report: { $case: 'credentials', value: { deployments } } });
  }
  const { deploymentId } = task.value;
  const checks = [{ name: 'stream', outcome: CheckOutcome.HOLDS, required: true, durationMs: 5 }];
  return ProbeReport.fromPartial({ taskId, report: { $case: 'test', value: { deploymentId, checks, requests: 1 } } });
}
