const paths = {
  add: 'M8 3v10M3 8h10',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  close: 'm4 4 8 8m0-8-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  down: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  filters: 'M2 4.5h12M4.5 8h7M6.5 11.5h3',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5l3 3',
} as const;

/** A decorative icon in the colour of the text around it: what it stands beside says what it means. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg
      className={`icon icon-${name}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
      focusable="false"
    >
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
