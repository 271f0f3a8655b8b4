import { count } from '../../format/number.ts';
import { clock } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import styles from './request.module.css';
import { type Moment, type Request, spansOf, timelineOf } from './timeline.ts';

/** What happened to a request, with milliseconds after it was received. */
export function Timeline({ request }: { request: Request }) {
  const spans = spansOf(request);
  return (
    <div className="stack">
      {spans.length > 0 && (
        <div className={styles['spans']} aria-hidden="true">
          {spans.map(({ id, label, ms, share }) => (
            <span
              key={id}
              data-span={id}
              data-tip={`${label}: ${count(ms)} ms`}
              style={{ flexGrow: share, flexBasis: 0 }}
            />
          ))}
        </div>
      )}
      <ol className={styles['moments']}>
        {timelineOf(request).map((moment) => (
          <MomentRow key={moment.id} moment={moment} startedAt={request.started_at} />
        ))}
      </ol>
      {request.refusal !== null && request.refusal.message !== '' && (
        <div>
          <p className="muted small">The client received</p>
          <p className={styles['message']}>{request.refusal.message}</p>
        </div>
      )}
    </div>
  );
}

function MomentRow({ moment: { id, label, afterMs, detail }, startedAt }: { moment: Moment; startedAt: string }) {
  const [zone] = useZone();
  const at = afterMs === null ? null : clock(new Date(Date.parse(startedAt) + afterMs), zone);
  return (
    <li data-moment={id}>
      <span className={styles['after']}>
        {afterMs === null ? <span className="muted">–</span> : `${count(afterMs)} ms`}
      </span>
      <span>
        <span className="strong">{label}</span>
        {detail !== null && <span className={styles['detail']}>{detail}</span>}
      </span>
      <span className={`muted small ${styles['clock']}`}>{at}</span>
    </li>
  );
}
