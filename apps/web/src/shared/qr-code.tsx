import { encode } from 'uqr';

/** A QR code of an address. It is always black on white, because many cameras cannot read inverted codes. */
export function QrCode({ address, label }: { readonly address: string; readonly label: string }) {
  const { size, data } = encode(address, { border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width="280"
      height="280"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="white" />
      <path d={path.join('')} fill="black" />
    </svg>
  );
}
