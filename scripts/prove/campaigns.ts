/**
 * Campaigns of `npm run prove`, in the order of the page. Their figures are those that the tests say with
 * `evidence`.
 */
import type { Campaign, Listed } from './campaign.ts';
import { inTheWay } from './in-the-way.ts';
import { nobodyIn } from './nobody-in.ts';
import { nothingLost } from './nothing-lost.ts';
import { onCitus } from './on-citus.ts';

export const campaigns: readonly Campaign[] = [
  ...chapter('Nothing lost, nothing doubled', [...nothingLost, ...onCitus]),
  ...chapter('Nobody in', nobodyIn),
  ...chapter('Nobody in the way', inTheWay),
];

function chapter(name: Campaign['chapter'], listed: readonly Listed[]): Campaign[] {
  return listed.map((campaign) => ({ ...campaign, chapter: name }));
}
