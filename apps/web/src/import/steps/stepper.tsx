import type { ImportState } from '../session/import-state.js';

const steps = ['Source', 'Columns', 'Review', 'Run'];

/** Shows which of the steps is the current one. */
export function Stepper({ state: { step, busy } }: { readonly state: ImportState }) {
  const reached = {
    source: 'Source',
    reading: busy === undefined || busy.step === 'read' ? 'Source' : 'Review',
    columns: 'Columns',
    review: 'Review',
    run: 'Run',
  }[step];
  return (
    <ol className="import-stepper" aria-label="Steps">
      {steps.map((name, index) => (
        <li
          key={name}
          aria-current={name === reached ? 'step' : undefined}
          className={index < steps.indexOf(reached) ? 'import-step-done' : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  );
}
