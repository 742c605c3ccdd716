import type { Response } from 'express';

/**
 * Opens a page of this service from a page of this service. After a redirect the browser would not send the session cookie,
 * because the page of another site started the navigation.
 */
export function sendContinuation(response: Response, url: string, title: string, link: string): void {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  response.set({
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  });
  response
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
        `<meta http-equiv="refresh" content="0;url=${address}"></head>` +
        `<body><p>${title}. <a href="${address}">${link}</a></p></body></html>`,
    );
}
