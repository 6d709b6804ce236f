/** Passkeys in forms: what a script asks the browser for, and what comes back in a field. */
import { type Html, html } from '../lib/html.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store } from '../store/store.ts';
import {
  challengesOf,
  creationOf,
  madePasskey,
  namedIn,
  type Party,
  type Purpose,
  partyOf,
  requestOf,
  secretOfChallenges,
  usedPasskey,
} from '../users/passkeys.ts';
import type { Passkey, User, UserId } from '../users/user.ts';

type Given = {
  readonly publicUrl: string;
  readonly store: Pick<Store, 'secrets'>;
  readonly realNow: () => RealTime;
};

/** A use of a passkey that is proved. */
export type Used = { readonly passkey: string; readonly askedAt: RealTime; readonly counter: number };

export type Passkeys = {
  /** The options of a form that makes a passkey; null for a user who has enough. */
  readonly creation: (user: User) => Promise<object | null>;
  /** The passkey in the field of such a form; null where it is not proved. */
  readonly made: (field: string) => Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter'> | null>;
  /** The options of a form that asks for a passkey. */
  readonly request: () => Promise<object>;
  /** The user whom the field of such a form names, which proves nothing yet. */
  readonly named: (field: string) => UserId | null;
  /** The use of a passkey of the user; null where it is not proved. */
  readonly used: (field: string, user: User) => Promise<Used | null>;
};

/** Null where the service has no name that browsers could bind passkeys to. */
export function passkeysFor({ publicUrl, store, realNow }: Given): Passkeys | null {
  const party = partyOf(publicUrl);
  return party === null ? null : passkeysOf(party, store, realNow);
}

function passkeysOf(party: Party, store: Given['store'], realNow: () => RealTime): Passkeys {
  /** All processes have the same secret. */
  const challenges = async () => challengesOf(await secretOfChallenges(store));

  /** Verifier of a challenge, and the time at which the one was made that it has met. */
  async function asked(purpose: Purpose) {
    const { timeOf } = await challenges();
    let askedAt: RealTime | null = null;
    return {
      party,
      isOurs(challenge: string): boolean {
        askedAt = timeOf(purpose, challenge, realNow());
        return askedAt !== null;
      },
      askedAt: () => askedAt,
    };
  }

  return {
    creation: async (user) => creationOf(user, party, (await challenges()).make('create', realNow())),
    made: async (field) => madePasskey(field, await asked('create')),
    request: async () => requestOf(party, (await challenges()).make('get', realNow())),
    named: (field) => namedIn(field)?.user ?? null,
    async used(field, user) {
      const named = namedIn(field);
      const passkey = user.passkeys.find(({ id }) => id === named?.passkey);
      if (named?.user !== user.id || passkey === undefined) return null;
      const ask = await asked('get');
      const counter = await usedPasskey(field, passkey, ask);
      const askedAt = ask.askedAt();
      return counter === null || askedAt === null ? null : { passkey: passkey.id, askedAt, counter };
    },
  };
}

/** A form that a script shows where the browser knows passkeys, and sends with its answer in the field `name`. */
export const passkeyForm = (
  purpose: Purpose,
  { action, name, options }: { readonly action: string; readonly name: string; readonly options: object },
  content: Html,
): Html => html`<form method="post" action="${action}" data-passkey="${purpose}" data-options="${JSON.stringify(options)}" hidden>
<input type="hidden" name="${name}" value="" data-answer>
${content}
<p class="wrong" role="alert" hidden>The browser has given no passkey. Try again.</p>
</form>`;
