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

// An address that people hand on gets a button that copies it, where the browser lets a page do so.
for (const link of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Copy the link';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(link.href);
    button.textContent = 'Copied';
  });
  link.parentElement.after(button);
}

// Updates and keys can be turned off, and stay so (WCAG 2.1.4 and 2.2.2): a button says which of both it does.
const toggle = (name, what, place) => {
  const key = `opentill-off-${name}`;
  const isOff = () => localStorage.getItem(key) !== null;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  const label = () => {
    button.textContent = isOff() ? `Turn ${what} on` : `Turn ${what} off`;
  };
  button.addEventListener('click', () => {
    if (isOff()) localStorage.removeItem(key);
    else localStorage.setItem(key, 'true');
    label();
  });
  label();
  place.append(button);
  return isOff;
};

// Keys of a list: / searches, j and k go along its rows, Enter opens what has the focus, ? shows the keys.
const keys = document.querySelector('#keys');
if (keys) {
  const step = (by) => {
    const rows = [...document.querySelectorAll('[data-row]')];
    const at = rows.indexOf(document.activeElement);
    rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
  };
  const actions = {
    '/': () => document.querySelector('[name="q"]')?.focus(),
    j: () => step(1),
    k: () => step(-1),
    '?': () => {
      keys.open = true;
      keys.querySelector('summary').focus();
    },
  };
  const isOff = toggle('keys', 'the keys', keys);
  addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, select, textarea');
    const action = actions[event.key];
    if (!action || isTyping || event.ctrlKey || event.metaKey || event.altKey || isOff()) return;
    event.preventDefault();
    action();
  });
}

/** Puts these parts of the page at an address in the place of those that are shown; else gives what is wrong with it. */
const showParts = async (address, parts, signal) => {
  const response = await fetch(address, { signal }).catch(() => null);
  const text = (await response?.text().catch(() => '')) ?? '';
  if (signal?.aborted) return [];
  const page = new DOMParser().parseFromString(text, 'text/html');
  if (!response?.ok)
    return [...page.querySelectorAll('main .alert, main .wrong')].map((each) => each.textContent.trim());
  for (const part of document.querySelectorAll(parts)) {
    const next = page.getElementById(part.id);
    if (!next || next.innerHTML === part.innerHTML) continue;
    const focused = part.contains(document.activeElement) && document.activeElement.getAttribute('href');
    part.replaceWith(next);
    if (focused) next.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
  }
  return null;
};

// A search shows what it finds while it is typed. The address follows, for whoever hands it on or comes back.
const search = document.querySelector('.finder [name="q"]');
if (search) {
  const SETTLED_MS = 250;
  let timer;
  let asked = new AbortController();
  const told = document.querySelector('#told');
  search.addEventListener('input', () => {
    clearTimeout(timer);
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    timer = setTimeout(async () => {
      const address = new URL(search.form.action);
      for (const [name, value] of new FormData(search.form))
        if (value) address.searchParams.append(name, value);
      history.replaceState(null, '', address);
      const mistakes = await showParts(address, '[data-live], #views', signal);
      if (signal.aborted) return;
      const found = document.querySelector('#found');
      if (mistakes === null) {
        const rows = found.querySelectorAll('[data-row]').length;
        told.textContent = rows === 0 ? 'Nothing is found' : `${rows} on this page`;
      } else {
        // Rows of an earlier search are not what this one has found.
        const complaint = document.createElement('p');
        complaint.className = 'alert';
        complaint.textContent = mistakes.join(' ') || 'The search has failed. Press Enter to try it again.';
        found.replaceChildren(complaint);
        told.textContent = complaint.textContent;
      }
    }, SETTLED_MS);
  });
}

// Live parts of a screen are asked for anew, as long as somebody is there to look at them.
const live = [...document.querySelectorAll('[data-live]')];
if (live.length > 0) {
  const EVERY_MS = 10_000;
  const ATTENDED_MS = 15 * 60_000;
  let lastUse = Date.now();
  for (const kind of ['pointermove', 'keydown', 'scroll', 'focus'])
    addEventListener(kind, () => {
      lastUse = Date.now();
    });
  const isOff = toggle('updates', 'live updates', document.querySelector('main'));
  const update = async () => {
    if (document.hidden || isOff() || Date.now() - lastUse > ATTENDED_MS) return;
    await showParts(location.href, '[data-live]');
  };
  setInterval(update, EVERY_MS);
}
