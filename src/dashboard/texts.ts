/** Times as the dashboard writes them. */
import { type Html, html } from '../lib/html.ts';

/** A time in milliseconds, as UTC: `2026-01-15 12:00`. */
export function timeOf(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}
