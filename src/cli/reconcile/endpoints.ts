/** The endpoints that there are, and which events each of them was to get. */
import type { Client } from '../client.ts';
import { type FeedEvent, subjectOf } from '../events/feed.ts';
import { Failure } from '../failure.ts';

export type Endpoint = {
  readonly id: string;
  readonly created_at: string;
  readonly status: 'enabled' | 'disabled';
  readonly events: readonly string[];
};
export type Endpoints = ReadonlyMap<string, Endpoint>;

export async function endpointsOf(client: Client): Promise<Endpoints> {
  const endpoints = new Map<string, Endpoint>();
  for await (const page of client.pages<Endpoint>('/webhook_endpoint'))
    for (const each of page) endpoints.set(each.id, each);
  return endpoints;
}

export function endpointIn(endpoints: Endpoints, id: string): Endpoint {
  const endpoint = endpoints.get(id);
  if (endpoint) return endpoint;
  throw new Failure(
    `there is no such webhook endpoint as ${id}; opentill webhooks list shows which there are`,
  );
}

/** True for the events that it asks for now, since it was created. Events about itself go to others. */
export function isFor({ id, created_at, events }: Endpoint, event: FeedEvent): boolean {
  if (subjectOf(event) === id || event.created_at < created_at) return false;
  const [kind] = event.type.split('.');
  return events.some((each) => each === '*' || each === event.type || each === `${kind}.*`);
}
