import { Protocol } from '@tollgate/proto/router';
import { describe, expect, it } from 'vitest';
import { deploymentForTests, routableModel } from '../../../testing/route-fixture.ts';
import { isServed, servedTo } from './route-table.ts';

const PROTOCOLS = [Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES, Protocol.ANTHROPIC_MESSAGES, Protocol.GEMINI];

function model(clientProtocols: Record<string, Protocol[]>, inRotation: (id: string) => boolean = () => true) {
  const deployments = Object.entries(clientProtocols).map(([deploymentId, protocols]) =>
    deploymentForTests({ deploymentId, clientProtocols: protocols, inRotation: inRotation(deploymentId) }),
  );
  return routableModel({ protocols: PROTOCOLS, deployments });
}

const idsOf = (entry: ReturnType<typeof model>) => entry.routes.map(({ deployment }) => deployment.deploymentId);

describe('servedTo', () => {
  it('picks the deployments that name the protocol, for others those that name none', () => {
    const entry = model({ chat: [], messages: [Protocol.ANTHROPIC_MESSAGES], second: [Protocol.ANTHROPIC_MESSAGES] });
    expect(idsOf(servedTo(entry, 'anthropic-messages'))).toEqual(['messages', 'second']);
    expect(idsOf(servedTo(entry, 'openai-chat'))).toEqual(['chat']);
    expect(idsOf(servedTo(entry, 'gemini'))).toEqual(['chat']);
  });

  it('has no other deployment take over for those that name the protocol', () => {
    const entry = model({ chat: [], messages: [Protocol.ANTHROPIC_MESSAGES] }, (id) => id !== 'messages');
    expect(isServed(servedTo(entry, 'anthropic-messages'))).toBe(false);
    expect(isServed(servedTo(entry, 'openai-responses'))).toBe(true);
  });

  it('is the same entry where no deployment names a protocol', () => {
    const entry = model({ a: [], b: [] });
    expect(servedTo(entry, 'gemini')).toBe(entry);
  });
});
