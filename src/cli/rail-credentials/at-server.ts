/** Credentials at a server: those of the account and mode of the key with which it is asked, which encrypts them. */
import { type Client, withMistakes } from '../client.ts';
import { mistakesIn, readJson } from '../json-file.ts';
import { refusePlace } from '../place.ts';
import type { RailCredentials, ShownCredentials } from './rail-credentials.ts';

export function credentialsAtServer(client: Client): RailCredentials {
  const pathOf = (rail: string) => `/rail_credentials/${encodeURIComponent(rail)}`;

  return {
    async list(place) {
      refusePlace(place);
      return client.get('/rail_credentials');
    },

    async set(place, rail, file) {
      refusePlace(place);
      // Any JSON: the server says what it has to be.
      const content = (await readJson(file, { hasSecrets: true })) as object;
      const asked = client.send<ShownCredentials>('PUT', pathOf(rail), content);
      return withMistakes(asked, (problems) => mistakesIn(file, problems));
    },

    async remove(place, rail) {
      refusePlace(place);
      await client.send('DELETE', pathOf(rail));
    },
  };
}
