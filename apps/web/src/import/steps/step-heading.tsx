import { type ReactNode, useEffect, useRef } from 'react';

/** The heading of a step; it takes the focus when the step replaces another one, whose controls are gone. */
export function StepHeading({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Not from where the person is working, in the other tab or in the header.
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    if (isLost || activeElement.closest('.import') !== null) heading.current?.focus();
  }, []);
  return (
    <h2 ref={heading} tabIndex={-1} className="import-heading">
      {children}
    </h2>
  );
}
