/** Settings at a server: those of the account and mode of the key with which it is asked. */
import { logoBytes, logoFacts } from '../../accounts/logo.ts';
import { type Client, withMistakes } from '../client.ts';
import { mistakesIn } from '../json-file.ts';
import { refusePlace } from '../place.ts';
import type { Settings, ShownSettings } from './account-settings.ts';

const PATH = '/account_settings';

export function settingsAtServer(client: Client): Settings {
  return {
    async fetch(place) {
      refusePlace(place);
      return client.get(PATH);
    },

    async change(place, { file, read }) {
      refusePlace(place);
      // Any JSON: the server says what it has to be.
      const asked = client.send<ShownSettings>('PUT', PATH, (await read()) as object);
      return withMistakes(asked, (problems) => mistakesIn(file, problems));
    },

    async rename(account, name) {
      refusePlace({ account, live: false });
      return client.send('PUT', PATH, { name });
    },

    async rotateSecret(place, overlapSeconds) {
      refusePlace(place);
      return client.send('POST', '/webhook_secret/rotate', { overlap_seconds: overlapSeconds });
    },

    async setLogo(place, logo) {
      refusePlace(place);
      const file = new Blob([Uint8Array.from(logoBytes(logo))], { type: logoFacts(logo.name).type });
      return client.upload('/logo', file, 'PUT');
    },

    async removeLogo(place) {
      refusePlace(place);
      await client.send('DELETE', '/logo');
    },
  };
}
