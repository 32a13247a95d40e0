import { type ReactNode, useEffect, useRef } from 'react';
import { toVisible } from '../../shared/to-visible.js';
import type { Preview } from '../protocol.js';
import type { ImportSession, ImportState } from '../session/import-session.js';

export interface StepProps {
  readonly session: ImportSession;
  readonly state: ImportState;
}

const steps = ['File', 'Columns', 'Review', 'Done'] as const;

interface StepFrameProps {
  readonly step: (typeof steps)[number];
  readonly title: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** Renders a step: a bar with all steps and the buttons, then a title and the content. The title takes the focus. */
export function StepFrame({ step, title, lead, actions, children }: StepFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Leaves the focus alone if it is in another part of the page.
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (isLost || activeElement.closest('.import') !== null) heading.current?.focus();
  }, []);
  return (
    <>
      <div className="import-bar">
        <ol className="import-steps" aria-label="Steps">
          {steps.map((name, index) => (
            <li
              key={name}
              aria-current={name === step ? 'step' : undefined}
              className={index < steps.indexOf(step) ? 'import-step-done' : undefined}
            >
              {name}
            </li>
          ))}
        </ol>
        <div className="import-actions">{actions}</div>
      </div>
      <div className="import-step">
        <h1 ref={heading} tabIndex={-1} className="import-heading">
          {title}
        </h1>
        {lead !== undefined && <p className="import-hint">{lead}</p>}
        {children}
      </div>
    </>
  );
}

/** Shows the name of the file, or `Pasted lines`. Also shows the name of the sheet if there are several. */
export function SourceName({ preview }: { readonly preview: Preview | undefined }) {
  const { fileName, sheets } = preview ?? {};
  const sheet = sheets && sheets.names.length > 1 ? sheets.chosen : undefined;
  return (
    <>
      {fileName === undefined ? <span>Pasted lines</span> : <bdi translate="no">{toVisible(fileName)}</bdi>}
      {sheet !== undefined && (
        <>
          <span>, sheet </span>
          <bdi translate="no">{toVisible(sheet)}</bdi>
        </>
      )}
    </>
  );
}

/** Shows what the person should know about the source. */
export function Notes({ notes }: { readonly notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} className="import-note">
      {note}
    </p>
  ));
}
