const paths = {
  add: 'M8 3.25v9.5M3.25 8h9.5',
  back: 'M9.75 3.5 5.25 8l4.5 4.5',
  check: 'm3.25 8.5 3 3 6.5-7',
  close: 'm4 4 8 8M12 4l-8 8',
  columns: 'M2.25 3.25h11.5v9.5H2.25zM6.25 3.25v9.5M9.75 3.25v9.5',
  copy: 'M5.75 5.75v-3h7.5v7.5h-3M2.75 5.75h7.5v7.5h-7.5z',
  down: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  download: 'M8 2.75v7.5M4.75 7.25 8 10.5l3.25-3.25M2.75 10.5v2.75h10.5V10.5',
  edit: 'm3 13 .6-2.8 7-7a1.4 1.4 0 0 1 2.2 2.2l-7 7L3 13ZM9.5 4.5l2 2',
  example: 'M8 1.75 9.75 6.25 14.25 8l-4.5 1.75L8 14.25 6.25 9.75 1.75 8l4.5-1.75z',
  key: 'M7 10.75a2.25 2.25 0 1 1-4.5 0 2.25 2.25 0 0 1 4.5 0ZM6.5 9l6-6M10.5 5l1.75 1.75',
  keyboard: 'M1.75 4h12.5v8H1.75zM4.5 6.75h.01M7 6.75h.01M9.5 6.75h.01M12 6.75h.01M5 9.5h6',
  label: 'M2.25 3.75h11.5v8.5H2.25zM5 6.75h4M5 9.25h2.5M11.25 9.25h.01',
  menu: 'M2.75 4.5h10.5M2.75 8h10.5M2.75 11.5h10.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  plant: 'M3 13c0-6.5 3.5-9.75 10.25-10 .25 6.5-2.75 9.5-7.25 9.25M3 13c1.5-3 3-4.5 5.5-6',
  print: 'M4.5 6V2.5h7V6M4.5 11.5H2.75V6h10.5v5.5H11.5M4.5 9.5h7v4h-7z',
  right: 'M3.25 8h9.5M8.5 3.75 12.75 8 8.5 12.25',
  search: 'M7 11.25a4.25 4.25 0 1 0 0-8.5 4.25 4.25 0 0 0 0 8.5ZM10.25 10.25l3 3',
  sheet: 'M2.25 3.25h11.5v9.5H2.25zM2.25 6.5h11.5M2.25 9.75h11.5M6.25 3.25v9.5',
  sortDown: 'M8 3.25v9.5M4.25 9 8 12.75 11.75 9',
  sortUp: 'M8 12.75v-9.5M4.25 7 8 3.25 11.75 7',
  tag: 'M2.75 3.25v4l6.4 6.2 4.3-4.3-6.2-6.4h-4ZM5.5 5.75h.01',
  trash: 'M2.75 4.5h10.5M6.25 4.25v-1.5h3.5v1.5M4 4.5l.6 8.75h6.8L12 4.5',
  undo: 'M5.5 3 2.75 5.75 5.5 8.5M3 5.75h6.5a3.5 3.5 0 0 1 0 7H6.5',
  untagged: 'M2.75 3.25v4l6.4 6.2 4.3-4.3-6.2-6.4h-4Z',
  up: 'm4.5 9.5 3.5-3.5 3.5 3.5',
  upload: 'M8 10.25v-7.5M4.75 5.75 8 2.5l3.25 3.25M2.75 10.5v2.75h10.5V10.5',
  warning: 'M8 2.75 14 13.25H2L8 2.75ZM8 6.75v3M8 11.5h.01',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon in the color of the surrounding text. Screen readers ignore it, so it needs a label next to it. */
export function Icon({ name }: { readonly name: IconName }) {
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
        strokeWidth={name === 'more' ? 2 : 1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
        strokeDasharray={name === 'untagged' ? '2 2' : undefined}
      />
    </svg>
  );
}
