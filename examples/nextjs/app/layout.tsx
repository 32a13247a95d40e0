import type { ReactNode } from 'react';

export const metadata = { title: 'Add a plant' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
