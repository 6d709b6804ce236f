/** Sentences about what was just done, by the name that the address of the next screen has. */
const notices = {
  welcome: 'Your password is set, and you are signed in.',
  'welcome-by-provider': 'You are signed in, and sign in by your account of the provider from now on.',
  role: 'The role is changed.',
  removed: 'The member has no role on the account any more.',
  joined: 'You have a role on one account more.',
  'signed-out': 'You are signed out.',
  'others-signed-out': 'All other browsers are signed out.',
  'sign-in-ended': 'That browser is signed out.',
  renamed: 'Your name and e-mail address are changed.',
  password: 'Your password is changed, and all other browsers are signed out.',
  'password-other-ways':
    'Your password is changed, and all other browsers are signed out. Other ways to sign in are as they were: see below.',
  'first-password': 'Your password is set. You can sign in with it.',
  'second-factor': 'The second factor is set.',
  'second-factor-removed': 'The second factor is removed.',
  passkey: 'The passkey is added.',
  'passkey-removed': 'The passkey is removed.',
  'identity-linked': 'The account is connected. You can sign in with it.',
  'identity-removed': 'The account is no longer connected.',
  'key-revoked': 'The key is revoked.',
  'account-created': 'The account is created, and you are its owner.',
  'account-renamed': 'The account has a new name.',
  saved: 'Your changes are saved.',
  unchanged: 'Everything is as you asked. There was nothing left to change.',
  'logo-saved': 'The logo is saved. Payers see it within a second.',
  'logo-removed': 'The logo is removed.',
  'endpoint-enabled': 'The endpoint is enabled.',
  'endpoint-disabled': 'The endpoint is disabled.',
  'endpoint-deleted': 'The endpoint is deleted.',
  'delivery-resent': 'The event is sent again.',
  'provider-event-retried':
    'The rail is asked again. Until the event has led to a session, it is among those that are looked at again.',
  'provider-event-gone': 'The event waits no longer, and the rail was not asked again.',
  'deliveries-resent': 'The failed deliveries are sent again.',
  'nothing-resent': 'No failed delivery can be sent again.',
  'receiving-account-removed': 'The receiving account is removed.',
  'credentials-saved': 'The credentials are saved.',
  'credentials-removed': 'The credentials are removed.',
  'session-created': 'The session is created. Send its link to the payer.',
  'session-expired': 'The session is expired. Nobody can pay it any more.',
  'items-changed': 'The items are changed.',
  'refund-created': 'The refund is on its way. Its state is below.',
  'refund-settled': 'The refund is settled.',
  'payment-file-created': 'The payment file is created. Download it, and hand it to your bank.',
  'webhooks-resent': 'The failed webhooks are sent again.',
  'person-erased': 'The personal data is erased.',
  'columns-chosen': 'The list has these columns from now on.',
  'view-saved': 'The view is saved. It is above the list.',
  'view-removed': 'The view is removed.',
  'mapping-saved': 'The mapping is saved.',
  'mapping-deleted': 'The mapping is deleted.',
  'statement-imported': 'The statement is imported.',
  'entry-assigned': 'The money is booked.',
  'entry-ignored': 'The entry is ignored.',
  'entry-reopened': 'The entry is open again.',
  'entry-sent-back': 'The money goes back with the next payment file.',
  'test-paid': 'The payment is reported.',
} as const;

export type Notice = keyof typeof notices;

const isNotice = (name: string | undefined): name is Notice =>
  name !== undefined && Object.hasOwn(notices, name);

export const noticeOf = (name: string | undefined): string | null => (isNotice(name) ? notices[name] : null);

/** The notice behind a form: a form that has changed nothing is not told to have done so. */
export const doneIf = (isChanged: boolean, done: Notice): Notice => (isChanged ? done : 'unchanged');

/** The notice of an address, for the next one. */
export const doneIn = ({ done }: { readonly done?: string }): { readonly done?: Notice } =>
  isNotice(done) ? { done } : {};
