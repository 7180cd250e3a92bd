import type { ComponentChildren } from 'preact';
import { t } from '../i18n.js';

/** The heading of a page, with its actions beside it. */
export function PageHead({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <h1>{title}</h1>
      <div class="actions">{children}</div>
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A framed part of a page. */
export function Panel({ title, actions, children, class: extra = '' }: PanelProps) {
  return (
    <section class={`panel ${extra}`}>
      <div class="panel-head">
        <h2>{title}</h2>
        <div class="actions">{actions}</div>
      </div>
      {children}
    </section>
  );
}

/** Shows why something could not be loaded. */
export function Failure({ error, retry }: { readonly error: Error | undefined; retry?(): void }) {
  if (error === undefined) return null;
  return (
    <div class="failure" role="alert">
      <span>{error.message}</span>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          {t('Try again')}
        </button>
      )}
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** One figure with its name. */
export function Figure({
  name,
  value,
  hint,
}: {
  readonly name: string;
  readonly value: string;
  readonly hint?: string;
}) {
  return (
    <div class="figure" title={hint}>
      <span class="figure-name">{name}</span>
      <span class="figure-value">{value}</span>
    </div>
  );
}

export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Holds buttons, and takes no more space than they need. */
  readonly hasButtons?: boolean;
  cell(row: Row): ComponentChildren;
}

export interface TableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  rowKey(row: Row, index: number): string | number;
  readonly empty?: string;
}

const cellClass = (isNumber = false, hasButtons = false): string | undefined =>
  isNumber ? 'number' : hasButtons ? 'buttons-cell' : undefined;

export function Table<Row>({ label, columns, rows, rowKey, empty }: TableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty ?? t('Nothing here.')}</Empty>;
  return (
    // The region scrolls sideways on narrow screens; it takes the focus so that the arrow keys can scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section class="table-frame" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, isNumber, hasButtons }) => (
              <th key={title} scope="col" class={cellClass(isNumber, hasButtons)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)}>
              {columns.map(({ title, isNumber, hasButtons, cell }) => (
                <td key={title} class={cellClass(isNumber, hasButtons)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
