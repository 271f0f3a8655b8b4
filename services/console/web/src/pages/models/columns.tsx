import { useContext } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.tsx';
import { CurrentRow } from '../../components/table/current-row.ts';
import { RowLink } from '../../components/table/row-link.tsx';
import type { Column } from '../../components/table/table.tsx';
import { compareMoney } from '../../format/money.ts';
import { count } from '../../format/number.ts';
import styles from './models.module.css';
import { canChat, effectiveRate, type Model, protocolName, rateText } from './prices.ts';

type Href = (path: `/${string}`) => string;

/** The playground with a model. */
export function tryAddress(href: Href, model: string): string {
  return `${href('/playground')}?${new URLSearchParams({ model })}`;
}

export function modelColumns(href: Href, canTry: boolean): Column<Model>[] {
  return [
    {
      id: 'model',
      title: 'Model',
      width: 200,
      grow: 2,
      cell: ({ model }) => <RowLink href={href(`/models/${encodeURIComponent(model)}`)}>{model}</RowLink>,
      compare: (left, right) => left.model.localeCompare(right.model),
    },
    {
      ...priceColumn('input', 'Input'),
      phone: 'value',
      cell: (model) => (
        <>
          <span className={styles['wide']}>
            <Rate model={model} bucket="input" />
          </span>
          <span className={styles['phone']}>
            {model.price !== null && (
              <>
                <Rate model={model} bucket="input" /> in, <Rate model={model} bucket="output" /> out
              </>
            )}
          </span>
        </>
      ),
    },
    priceColumn('cache_read', 'Cached input'),
    priceColumn('output', 'Output'),
    {
      id: 'context',
      title: 'Context',
      priority: 6,
      width: 104,
      align: 'end',
      cell: ({ context_window }) => count(context_window),
      compare: (left, right) => left.context_window - right.context_window,
    },
    {
      id: 'protocols',
      title: 'Protocols',
      width: 160,
      grow: 1,
      priority: 7,
      cell: ({ protocols }) => {
        const names = protocols.map(protocolName).join(', ');
        return (
          <span className="muted" data-tip={names}>
            {names}
          </span>
        );
      },
    },
    {
      id: 'availability',
      title: 'Availability',
      priority: 5,
      width: 120,
      phone: 'detail',
      cell: (model) => <Availability model={model} />,
    },
    {
      id: 'try',
      title: 'Try it',
      hideTitle: true,
      priority: 0,
      width: 72,
      align: 'end',
      phone: 'end',
      cell: (model) =>
        canTry && canChat(model) && model.price !== null && <TryLink address={tryAddress(href, model.model)} />,
    },
  ];
}

function priceColumn(bucket: string, title: string): Column<Model> {
  return {
    id: bucket,
    title,
    width: 104,
    align: 'end',
    cell: (model) => <Rate model={model} bucket={bucket} />,
    compare: (left, right) => compareMoney(rateOf(left, bucket) ?? '0', rateOf(right, bucket) ?? '0'),
  };
}

function TryLink({ address }: { address: string }) {
  const isInCurrentRow = useContext(CurrentRow);
  return (
    <Link href={address} tabIndex={isInCurrentRow ? 0 : -1}>
      Try it
    </Link>
  );
}

function rateOf({ price }: Model, bucket: string): string | undefined {
  return price === null ? undefined : effectiveRate(price, bucket);
}

function Rate({ model, bucket }: { model: Model; bucket: string }) {
  const rate = rateOf(model, bucket);
  return rate === undefined ? <span className="muted">–</span> : rateText(rate);
}

export function Availability({ model: { enabled, available, simulated, price } }: { model: Model }) {
  if (!enabled) return <Badge tone="neutral">Disabled</Badge>;
  if (price === null) return <Badge tone="neutral">No price yet</Badge>;
  if (!available) return <Badge tone="bad">Not available</Badge>;
  return <Badge tone="good">{simulated ? 'Simulated' : 'Available'}</Badge>;
}
