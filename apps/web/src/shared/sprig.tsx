/** A decorative sprig in the colour of the text around it. */
export function Sprig() {
  return (
    <svg className="sprig" viewBox="0 0 64 72" width="64" height="72" aria-hidden="true" focusable="false">
      <g fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round">
        <path d="M32 70C32 52 31 34 33 10" />
        <path d="M33 10c-4-3-5-6-4-9 4 1 6 4 4 9Z" />
        <path d="M32 30C22 30 16 25 14 16c10 0 17 5 18 14ZM32 30c-5-5-10-9-14-11" />
        <path d="M32 38c10 0 17-6 19-16-11 0-18 6-19 16ZM32 38c5-6 10-10 15-13" />
        <path d="M32 52C20 53 12 47 9 37c12-1 21 5 23 15ZM32 52c-6-6-12-10-18-13" />
        <path d="M32 59c11 0 19-5 22-14-12-1-20 4-22 14ZM32 59c6-5 12-9 17-11" />
      </g>
    </svg>
  );
}
