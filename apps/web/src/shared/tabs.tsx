import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

/** One tab and its panel. */
interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  readonly panel: ReactNode;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly selected: Name;
  onSelect(name: Name): void;
}

/**
 * Tabs with automatic activation (ARIA Authoring Practices Guide, Tabs Pattern): arrow keys, Home and End select. A panel
 * stays mounted and keeps its state once it was shown, as far as its caller passes it.
 */
export function Tabs<Name extends string>({ label, tabs, selected, onSelect }: TabsProps<Name>) {
  const id = useId();
  const buttons = useRef(new Map<Name, HTMLButtonElement>());
  const select = (index: number) => {
    const tab = tabs.at(index % tabs.length);
    if (tab === undefined) return;
    onSelect(tab.name);
    buttons.current.get(tab.name)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const target = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(target);
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs">
        {tabs.map(({ name, title }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${name}`}
            aria-selected={name === selected}
            aria-controls={`${id}-panel-${name}`}
            tabIndex={name === selected ? 0 : -1}
            ref={(element) => {
              if (element !== null) buttons.current.set(name, element);
            }}
            onClick={() => onSelect(name)}
            onKeyDown={(event) => onKeyDown(event, index)}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ name, panel }) => (
        <div
          key={name}
          role="tabpanel"
          id={`${id}-panel-${name}`}
          aria-labelledby={`${id}-tab-${name}`}
          hidden={name !== selected}
          className="panel"
        >
          {panel}
        </div>
      ))}
    </>
  );
}
