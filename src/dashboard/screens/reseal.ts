/** Encrypting the credentials of all accounts anew, behind a change of the key in the settings. */
import { type Html, html } from '../../lib/html.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { onceField, onceIn, second } from '../form.ts';
import { refused } from '../outcome.ts';
import type { Declare, InstallationVisit } from '../screen.ts';
import { factsOf } from '../texts.ts';

const path = '/installation-credentials/reseal';

type Counts = Readonly<Record<'resealed' | 'current' | 'previous' | 'unknown', number>>;

const form = ({ visitor }: InstallationVisit, basePath: string): Html =>
  html`<form method="post" action="${basePath}/dashboard${path}">${tokenField(visitor)}${onceField()}<button>Encrypt them anew</button></form>`;

/** The section of the screen of the installation. */
export const resealSection = (visit: InstallationVisit, basePath: string): Html =>
  html`<section><h2>Credentials at rails</h2>
<p>They are encrypted under <code>CREDENTIALS_KEY</code>. If you have replaced it, and all servers have restarted with both keys, encrypt what is still under the one before.</p>
${second('Encrypt the credentials of all accounts anew', form(visit, basePath))}</section>`;

export function resealScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  declare(
    {
      method: 'POST',
      path,
      needs: { installation: 'INSTALLATION_CREDENTIALS.RESEAL', confirmed: true },
    },
    async (visit) => {
      const url = '/v3/installation_credentials/reseal';
      const answer = await visit.api.send<Counts>('POST', url, undefined, onceIn(visit.form));
      if (!answer.ok) return refused(answer.status, answer.mistakes);
      const { resealed, current, previous, unknown } = answer.data;
      return {
        title: 'Credentials at rails',
        current: 'accounts',
        main: html`${factsOf([
          ['Encrypted anew', resealed],
          ['Under CREDENTIALS_KEY', current],
          ['Under CREDENTIALS_KEY_PREVIOUS', previous],
          ['Under neither', unknown],
        ])}
<p>${adviceOn(answer.data)}</p>
${previous > 0 && form(visit, basePath)}
<p><a href="${basePath}/dashboard/accounts">To the accounts</a></p>`,
      };
    },
  );
}

function adviceOn({ previous, unknown }: Counts): string {
  if (previous > 0) return 'Some are left. Encrypt them as well.';
  if (unknown > 0)
    return 'Those under neither key cannot be used. Set CREDENTIALS_KEY_PREVIOUS to the key that they were set with, or have their accounts set them again.';
  return 'You can remove CREDENTIALS_KEY_PREVIOUS from the settings of all servers.';
}
