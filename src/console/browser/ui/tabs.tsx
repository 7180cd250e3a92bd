interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, title: string])[];
  readonly selected: NoInfer<Name>;
  select(name: NoInfer<Name>): void;
}

/** A row of tabs. The arrow keys move between them. */
export function Tabs<Name extends string>({ label, tabs, selected, select }: TabsProps<Name>) {
  const move = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex(([name]) => name === selected);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    select(next[0]);
    const buttons = event.currentTarget.parentElement?.querySelectorAll('button');
    buttons?.[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(([name, title]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === selected}
          tabIndex={name === selected ? 0 : -1}
          onKeyDown={move}
          onClick={() => select(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
