import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Money } from '../../components/money.tsx';
import { Facts } from '../../components/page.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { count } from '../../format/number.ts';
import type { Answer } from './answer.ts';
import styles from './playground.module.css';

/** Tokens, cost, times and ids of a response, as far as they are known. */
export function AnswerFacts({ answer }: { answer: Answer }) {
  const { href } = useAccount();
  const isOpen = answer.state === 'waiting' || answer.state === 'streaming';
  if (answer.traceId === null && !isOpen) return null;
  const later = isOpen ? <Skeleton width="6ch" /> : <span className="muted">–</span>;
  const known = (value: number | null, unit = '') => (value === null ? later : `${count(value)}${unit}`);
  return (
    <div className={styles['facts']}>
      <Facts
        facts={[
          { label: 'Input tokens', figure: known(answer.inputTokens) },
          { label: 'Output tokens', figure: known(answer.outputTokens) },
          { label: 'Cost', figure: answer.cost === null ? later : <Money value={answer.cost} exact /> },
          { label: 'First token', figure: known(answer.firstTokenMs, ' ms') },
          { label: 'Duration', figure: known(answer.durationMs, ' ms') },
          ...(answer.finishReason === null ? [] : [{ label: 'Finish reason', value: answer.finishReason }]),
          {
            label: 'Trace id',
            value:
              answer.traceId === null ? (
                later
              ) : (
                <span className={styles['trace']}>
                  <Link href={href(`/requests/${answer.requestId ?? answer.traceId}`)}>
                    <code>{answer.traceId}</code>
                  </Link>
                  <CopyButton text={answer.traceId} what="trace id" />
                </span>
              ),
          },
        ]}
      />
    </div>
  );
}
