import type { PageProps } from '../pages.js';
import { Board } from './board.js';
import { Instances } from './instances.js';
import { Kinds } from './kinds.js';

/** The components of the kit: which there are, their instances, and the board of one. */
export default function KitPage({ route, session }: PageProps) {
  const [kind] = route.rest;
  const name = route.query.get('name');
  if (kind === undefined) return <Kinds />;
  if (name === null) return <Instances key={kind} kind={kind} />;
  const prefix = route.query.get('prefix') ?? '';
  const place = { kind, prefix, name };
  return (
    <Board
      key={JSON.stringify(place)}
      place={place}
      table={route.query.get('table') ?? undefined}
      opened={route.query.get('id') ?? undefined}
      isReadOnly={session.readOnly}
    />
  );
}
