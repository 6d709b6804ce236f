/** Second factors and passkeys of the visitor. */
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import { drawing, html } from '../../lib/html.ts';
import { drawCode } from '../../methods/bank/codes/draw.ts';
import { isTotpSecret, newRecoveryCodes, newTotpSecret, totpAddress } from '../../users/codes.ts';
import { PASSKEY_NAME_LENGTH } from '../../users/user.ts';
import type { UserDecision } from '../../users/user-commands.ts';
import type { Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { executeOnUser, type OwnCommand } from '../execute.ts';
import { field, hidden, mistake, otherMistakes } from '../form.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { passkeyForm } from '../passkeys.ts';
import type { Declare, OwnVisit } from '../screen.ts';

export function factorScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath, passkeys } = dependencies;
  const to = (path: string) => `${basePath}/dashboard/profile${path}`;
  const change = ({ request, visitor }: OwnVisit, command: OwnCommand): Promise<UserDecision | Refusal> =>
    executeOnUser(dependencies, request, visitor.user.id, command);

  function setUp(visit: OwnVisit, secret: string, mistakes: readonly Mistake[] = []): Outcome {
    const { user } = visit.visitor;
    const address = totpAddress(secret, user.email);
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: 'Set up a second factor',
      main: html`<ol>
<li>Scan this code with an authenticator app, or type the secret into it: <code class="secret">${secret}</code></li>
<li>Enter the six digits that the app shows.</li>
</ol>
<p class="qr">${drawing(drawCode({ payload: address, errorCorrection: 'M', swissCross: false }))}</p>
${otherMistakes(mistakes, ['code'])}
<form method="post" action="${to('/second-factor')}">${tokenField(visit.visitor)}${hidden('secret', secret)}
${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', required: true }, mistakes)}
<button>Set it up</button>
</form>`,
    };
  }

  declare({ method: 'GET', path: '/profile/second-factor', needs: 'own-confirmed' }, (visit) =>
    setUp(visit, newTotpSecret()),
  );

  declare({ method: 'POST', path: '/profile/second-factor', needs: 'own-confirmed' }, async (visit) => {
    const { secret = '', code = '' } = visit.form;
    if (!isTotpSecret(secret)) return setUp(visit, newTotpSecret());
    const recoveryCodes = newRecoveryCodes();
    const decision = await change(visit, {
      type: 'set_totp',
      secret,
      code: code.replaceAll(' ', ''),
      recoveryCodes,
    });
    if (isRefusal(decision))
      return setUp(visit, secret, [{ message: 'This is not the current code.', pointer: '/code' }]);
    return codesScreen(recoveryCodes, to(''));
  });

  declare(
    { method: 'POST', path: '/profile/second-factor/remove', needs: 'own-confirmed' },
    async (visit) => {
      const decision = await change(visit, { type: 'remove_totp' });
      const isRemoved = !isRefusal(decision) && decision.kind === 'change';
      return { goTo: '/profile', done: doneIf(isRemoved, 'second-factor-removed') };
    },
  );

  declare({ method: 'POST', path: '/profile/recovery-codes', needs: 'own-confirmed' }, async (visit) => {
    const recoveryCodes = newRecoveryCodes();
    const decision = await change(visit, { type: 'replace_recovery_codes', recoveryCodes });
    // It may have been removed in another window: codes would be good for nothing.
    if (isRefusal(decision)) return refused(422, mistake(decision.detail));
    return codesScreen(recoveryCodes, to(''));
  });

  async function newPasskey(visit: OwnVisit, mistakes: readonly Mistake[] = []): Promise<Outcome> {
    const { visitor } = visit;
    const options = passkeys && (await passkeys.creation(visitor.user));
    const status = mistakes.length > 0 ? 422 : 200;
    const title = 'Add a passkey';
    if (passkeys === null)
      return {
        status,
        title,
        main: 'Browsers bind passkeys to a name. The service is reached by a bare address.',
      };
    if (options === null)
      return { status, title, main: 'You have as many passkeys as there may be. Remove one first.' };
    const content = html`${tokenField(visitor)}
${field({ name: 'name', label: 'Name', required: true, maxlength: PASSKEY_NAME_LENGTH, hint: 'By which you know it again: your phone, or the key in the drawer.' })}
<button>Add a passkey</button>`;
    return {
      status,
      title,
      main: html`<p>A passkey is kept by your device or password manager. You sign in with it instead of the password and the code.</p>
<noscript><p>Browsers give passkeys to scripts alone. Allow the script of this page.</p></noscript>
${otherMistakes(mistakes)}
${passkeyForm('create', { action: to('/passkeys'), name: 'passkey', options }, content)}`,
    };
  }

  declare({ method: 'GET', path: '/profile/passkeys', needs: 'own-confirmed' }, (visit) => newPasskey(visit));

  declare({ method: 'POST', path: '/profile/passkeys', needs: 'own-confirmed' }, async (visit) => {
    const { passkey: answer, name = '' } = visit.form;
    if (answer === undefined) return newPasskey(visit);
    const made = passkeys && (await passkeys.made(answer));
    if (made === null)
      return newPasskey(visit, mistake('The passkey was not made, or it took too long. Try again.'));
    const passkey = { ...made, name: name.trim().slice(0, PASSKEY_NAME_LENGTH) || 'Passkey' };
    const decision = await change(visit, { type: 'add_passkey', passkey });
    if (isRefusal(decision)) return newPasskey(visit, mistake(decision.detail));
    return { goTo: '/profile', done: doneIf(decision.kind === 'change', 'passkey') };
  });

  declare({ method: 'POST', path: '/profile/passkeys/remove', needs: 'own-confirmed' }, async (visit) => {
    const passkey = visit.form.id ?? '';
    const decision = await change(visit, { type: 'remove_passkey', passkey });
    if (isRefusal(decision)) return refused(422, mistake(decision.detail));
    return { goTo: '/profile', done: doneIf(decision.kind === 'change', 'passkey-removed') };
  });
}

function codesScreen(codes: readonly string[], profile: string): Outcome {
  return {
    title: 'Your recovery codes',
    main: html`<p>Each of them is good once in the place of a code from the app. Keep them where you keep passwords: they are shown only now.</p>
<ul class="codes">${codes.map(
      (code) => html`<li><code>${code}</code></li>
`,
    )}</ul>
<p><a class="button" href="${profile}">I have kept them</a></p>`,
  };
}
