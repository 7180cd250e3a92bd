import { useState } from 'preact/hooks';
import type { ShownReply } from '../../types/commands.js';
import { bytesSize, count, t } from '../i18n.js';
import { bytesOf, shown } from './bytes.js';

const UNFOLDED = 20;

/** A reply of Redis. Lists can be folded; long ones are folded at first. */
export function Reply({ reply, depth = 0 }: { readonly reply: ShownReply; readonly depth?: number }) {
  switch (reply.kind) {
    case 'null':
      return <span class="dim">(nil)</span>;
    case 'integer':
      return <span class="reply-number">{reply.value}</span>;
    case 'error':
      return <span class="reply-error">{reply.message}</span>;
    case 'bytes': {
      const isLong = bytesOf(reply.value).length < reply.length;
      const hasLines = typeof reply.value === 'string' && reply.value.includes('\n');
      return (
        <span class="bytes mono">
          {hasLines ? String(reply.value) : shown(reply.value, 20_000) || '""'}
          {isLong && <span class="dim"> … {bytesSize(reply.length)}</span>}
        </span>
      );
    }
    case 'list':
      return <List reply={reply} depth={depth} />;
  }
}

function List({
  reply,
  depth,
}: {
  readonly reply: Extract<ShownReply, { kind: 'list' }>;
  readonly depth: number;
}) {
  const { elements, length } = reply;
  const [limit, setLimit] = useState(depth > 1 && length > 4 ? 0 : UNFOLDED);
  if (length === 0) return <span class="dim">{t('(empty list)')}</span>;
  return (
    <div class="reply-list">
      <button
        type="button"
        class="quiet"
        aria-expanded={limit > 0}
        onClick={() => setLimit(limit > 0 ? 0 : UNFOLDED)}
      >
        {limit > 0 ? '▾' : '▸'} {t('{count} elements', { count: count(length) })}
      </button>
      {limit > 0 && (
        <ol start={0}>
          {elements.slice(0, limit).map((element, index) => (
            <li key={index}>
              <Reply reply={element} depth={depth + 1} />
            </li>
          ))}
        </ol>
      )}
      {limit > 0 && elements.length > limit && (
        <button type="button" class="quiet" onClick={() => setLimit(limit * 5)}>
          {t('Show more')}
        </button>
      )}
      {limit >= elements.length && elements.length < length && (
        <span class="dim">
          {t('{count} more are not shown.', { count: count(length - elements.length) })}
        </span>
      )}
    </div>
  );
}
