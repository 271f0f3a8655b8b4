import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { useConfig } from '../../api/session.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ExternalIcon } from '../../components/icons.tsx';
import { type Fact, Facts } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { DAY } from '../../format/time.ts';
import { protocolName } from '../models/prices.ts';
import styles from './request.module.css';
import { StatusBadge } from './status-badge.tsx';
import type { Request } from './timeline.ts';

/** What a request was, by whom, and its ids. */
export function RequestFacts({ request }: { request: Request }) {
  return (
    <div className="stack">
      <Facts facts={mainFacts(request)} />
      <Facts facts={idFacts(request)} />
    </div>
  );
}

function mainFacts(request: Request): Fact[] {
  const { status, reason, reason_label, model, deployment, provider, protocol_in, protocol_out } = request;
  const protocol =
    protocol_out === null || protocol_out === protocol_in
      ? protocolName(protocol_in)
      : `${protocolName(protocol_in)}, sent as ${protocolName(protocol_out)}`;
  return [
    { label: 'Status', value: <StatusBadge status={status} reason={reason_label ?? reason} /> },
    { label: 'Model', value: <ModelLink model={model} /> },
    ...(deployment === null ? [] : [{ label: 'Deployment', value: <code>{deployment}</code> }]),
    ...(provider === null ? [] : [{ label: 'Provider', value: provider }]),
    { label: 'Key', value: <KeyLink request={request} /> },
    ...(protocol_in === '' ? [] : [{ label: 'Protocol', value: `${protocol}${request.streamed ? ', streamed' : ''}` }]),
    { label: 'Received', value: <Time value={request.started_at} exact /> },
  ];
}

function idFacts(request: Request): Fact[] {
  const { trace_id, session, agent_id, parent_agent_id, tags } = request;
  return [
    ...(trace_id === null ? [] : [{ label: 'Trace id', value: <TraceId traceId={trace_id} /> }]),
    { label: 'Request id', value: <Id text={request.request_id} what="request id" /> },
    ...(session === null
      ? []
      : [{ label: 'Session', value: <SessionLink request={request} session={session} text={session} /> }]),
    ...(agent_id === null
      ? []
      : [{ label: 'Agent', value: <SessionLink request={request} session={session} text={agent_id} /> }]),
    ...(parent_agent_id === null
      ? []
      : [{ label: 'Parent agent', value: <SessionLink request={request} session={session} text={parent_agent_id} /> }]),
    ...Object.entries(tags).map(([name, value]) => ({
      label: `Tag ${name}`,
      value: <TagLink request={request} tag={`${name}:${value}`} text={value} />,
    })),
  ];
}

function ModelLink({ model }: { model: string }) {
  const { href } = useAccount();
  if (model === '') return <span className="muted">None named</span>;
  return <Link href={href(`/models/${encodeURIComponent(model)}`)}>{model}</Link>;
}

function KeyLink({ request: { key_id, key_name } }: { request: Request }) {
  const { href, is } = useAccount();
  const name = key_name === '' ? <code>{key_id}</code> : key_name;
  if (!is('operator', 'owner', 'admin', 'developer')) return name;
  return <Link href={href(`/keys/${key_id}`)}>{name}</Link>;
}

function Id({ text, what }: { text: string; what: string }) {
  return (
    <span className={styles['id']}>
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

function TraceId({ traceId }: { traceId: string }) {
  const template = useConfig()?.trace_url ?? null;
  // Tracing systems write ids without dashes.
  const hex = traceId.replaceAll('-', '');
  return (
    <span className={styles['id']}>
      <code>{traceId}</code>
      <CopyButton text={traceId} what="trace id" />
      {template !== null && (
        <a
          href={template.replaceAll('{trace_id}', hex)}
          target="_blank"
          rel="noreferrer"
          className={styles['external']}
        >
          Open trace <ExternalIcon />
        </a>
      )}
    </span>
  );
}

interface SessionLinkProps {
  request: Request;
  session: string | null;
  text: string;
}

/** Leads to the requests of the session; agents belong to one. */
function SessionLink({ request, session, text }: SessionLinkProps) {
  const { href } = useAccount();
  if (session === null) return <code>{text}</code>;
  return (
    <Link href={`${href('/requests')}?${new URLSearchParams({ ...around(request), session })}`}>
      <code>{text}</code>
    </Link>
  );
}

function TagLink({ request, tag, text }: { request: Request; tag: string; text: string }) {
  const { href } = useAccount();
  return <Link href={`${href('/requests')}?${new URLSearchParams({ ...around(request), tag })}`}>{text}</Link>;
}

/** The days before and after the request. */
function around({ started_at }: Request): { start: string; end: string } {
  const at = Date.parse(started_at);
  return { start: new Date(at - DAY).toISOString(), end: new Date(at + DAY).toISOString() };
}
