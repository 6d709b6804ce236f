// Every screen works without this, but for passkeys, which browsers give to scripts alone.

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
const textOf = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Options of WebAuthn with bytes in the place of their texts. */
function withBytes(options) {
  const { challenge, user, excludeCredentials, ...others } = options;
  return {
    ...others,
    challenge: bytesOf(challenge),
    ...(user && { user: { ...user, id: bytesOf(user.id) } }),
    ...(excludeCredentials && {
      excludeCredentials: excludeCredentials.map((each) => ({ ...each, id: bytesOf(each.id) })),
    }),
  };
}

/** The answer of an authenticator with texts in the place of bytes. */
function answerOf({ id, type, response }) {
  const fields = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const texts = fields.filter((name) => response[name]).map((name) => [name, textOf(response[name])]);
  return { id, rawId: id, type, response: Object.fromEntries(texts), clientExtensionResults: {} };
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  const field = form.querySelector('[data-answer]');
  form.addEventListener('submit', async (event) => {
    if (field.value) return;
    event.preventDefault();
    const complaint = form.querySelector('[role="alert"]');
    complaint.hidden = true;
    try {
      const publicKey = withBytes(JSON.parse(form.dataset.options));
      const answer = await navigator.credentials[form.dataset.passkey]({ publicKey });
      field.value = JSON.stringify(answerOf(answer));
      form.requestSubmit();
    } catch {
      complaint.hidden = false;
    }
  });
}

// A form that was sent is not sent twice.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'true';
  });
}
// A page that comes back from the cache of the browser has forms that can be sent again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
