/** Proof anew of who somebody is, before what moves money, keys or people. The form that asked for it goes along. */
import type { FastifyRequest } from 'fastify';
import { isRefusal } from '../checkout/refusals.ts';
import { html } from '../lib/html.ts';
import type { Mistake } from './api.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { tokenField } from './document.ts';
import { executeOnUser } from './execute.ts';
import { type Form, field, hidden, otherMistakes } from './form.ts';
import { TYPED_SECRETS } from './kept.ts';
import type { Outcome } from './outcome.ts';
import { codeField, mistake, PAUSED } from './sign-in-forms.ts';
import type { Visitor } from './visitor.ts';

type Asked = { readonly request: FastifyRequest; readonly visitor: Visitor; readonly form: Form };

const OWN_FIELDS = ['confirm_password', 'confirm_code', 'form_token', ...TYPED_SECRETS];

/** Null where the form brings the proof; else the screen that asks for it. */
export async function confirmIn(dependencies: DashboardDependencies, asked: Asked): Promise<Outcome | null> {
  const { request, visitor, form } = asked;
  const { confirm_password: password, confirm_code: code = '' } = form;
  if (password === undefined) return confirmScreen(dependencies.basePath, asked, []);
  const { user, signIn } = visitor;
  const isRight = await dependencies.passwords.matches(password, user.password);
  const verified = isRight ? user.password : null;
  const command = { type: 'confirm', signIn: signIn.id, code, verified } as const;
  const decision = await executeOnUser(dependencies, request, user.id, command);
  if (isRefusal(decision)) return confirmScreen(dependencies.basePath, asked, mistake(decision.detail));
  if (decision.kind === 'change') return null;
  const message = decision.kind === 'paused' ? PAUSED : 'The password or the code is wrong.';
  return confirmScreen(dependencies.basePath, asked, mistake(message));
}

function confirmScreen(
  basePath: string,
  { request, visitor, form }: Asked,
  mistakes: readonly Mistake[],
): Outcome {
  const given = Object.entries(form).filter(([name]) => !OWN_FIELDS.includes(name));
  return {
    status: mistakes.length > 0 ? 422 : 200,
    title: 'Is it you?',
    main: html`<p>Enter your password to go on. Nobody asks again for ten minutes.</p>
${otherMistakes(mistakes)}
<form method="post" action="${basePath}${request.url}">
${tokenField(visitor)}${given.map(([name, value]) => hidden(name, value))}
${field({ name: 'confirm_password', label: 'Password', type: 'password', autocomplete: 'current-password', required: true })}
${visitor.user.totp !== null && codeField('confirm_code')}
<button>Go on</button>
</form>`,
  };
}
