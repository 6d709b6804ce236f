/** API keys at a server: those of the account and mode of the key with which it is asked. */
import type { Client } from '../client.ts';
import { refusePlace } from '../place.ts';
import type { ApiKeys } from './api-keys.ts';

export function keysAtServer(client: Client): ApiKeys {
  return {
    async *list(place) {
      refusePlace(place);
      for await (const page of client.pages<ShownKey>('/api_key')) yield* page;
    },

    async create(place, { permissions, name }) {
      refusePlace(place);
      return client.send('POST', '/api_key', { permissions, name });
    },

    revoke: (id) => client.send('POST', `/api_key/${encodeURIComponent(id)}/revoke`),
  };
}

type ShownKey = ReturnType<ApiKeys['list']> extends AsyncIterable<infer T> ? T : never;
