import { useMemo } from 'react';
import { encode } from 'uqr';

/** A QR code. A reader can use the text next to it instead. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { border: 2 });
    const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: dots.join(''), size };
  }, [text]);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} className="size-48 self-center bg-white">
      <path d={path} fill="black" shapeRendering="crispEdges" />
    </svg>
  );
}
