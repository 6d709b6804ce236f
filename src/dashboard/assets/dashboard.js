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

/** The part that is dragged, if one is. */
let dragged = null;

/**
 * Sends an entry to a session, once a person says so. What is sent is a copy: the button of the form itself says where the
 * money goes with it, whatever has been dropped before.
 */
const sendWhole = (form, what, { payin, session }) => {
  if (form.dataset.sent || !confirm(`Assign ${what} to ${session}? A booking is final.`)) return;
  form.dataset.sent = 'true';
  const copy = form.cloneNode(true);
  copy.removeAttribute('id');
  copy.hidden = true;
  copy.dataset.copy = '';
  copy.querySelector('[name="parts/0/payin"]').value = payin;
  document.body.append(copy);
  copy.requestSubmit();
};
const amountIn = (part) => part.querySelector('[name$="/amount"]');
/** A decimal amount as a whole number of its smallest unit; null for anything else. */
const unitsOf = (text, digits) => {
  const [, major, minor = ''] = /^(\d+)(?:[.,](\d*))?$/.exec(text.trim() || '0') ?? [];
  return major === undefined || minor.length > digits ? null : BigInt(major + minor.padEnd(digits, '0'));
};
const decimalOf = (units, digits) => {
  const text = String(units).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

/** Effects of a drop, by what is dropped. */
const drop = {
  /** A whole entry goes to a session, by the form of the session or by its own; or its rest to a part. */
  entry(grip, zone) {
    const { left, digits, form } = grip.dataset;
    if (zone.matches('fieldset')) {
      const others = [...zone.form.querySelectorAll('fieldset.item')].filter((each) => each !== zone);
      const taken = others.map((each) => unitsOf(amountIn(each).value, Number(digits)));
      if (taken.includes(null)) return;
      const rest = taken.reduce((sum, each) => sum - each, BigInt(left));
      if (rest > 0n) amountIn(zone).value = decimalOf(rest, Number(digits));
      amountIn(zone).focus();
      return;
    }
    const own = form === undefined ? zone : document.getElementById(form);
    sendWhole(own, grip.dataset.amount, zone.dataset);
  },
  /** A session and what is due for it go to a part. */
  session({ dataset }, zone) {
    zone.querySelector('[name$="/payin"]').value = dataset.payin;
    if (dataset.due) amountIn(zone).value = dataset.due;
    amountIn(zone).focus();
  },
  /** The amount of a part goes to another one, and comes on top of that. */
  amount(grip, zone) {
    const digits = Number(grip.dataset.digits);
    const from = amountIn(grip.closest('fieldset'));
    const [moved, before] = [from, amountIn(zone)].map(({ value }) => unitsOf(value, digits));
    if (moved === null || before === null) return;
    amountIn(zone).value = decimalOf(moved + before, digits);
    from.value = '';
    amountIn(zone).focus();
  },
};

/** Adds to the forms and links of a page, or of a part that has come later, what browsers can do beyond them. */
function enhance(root) {
  // A large file shows how far it has come, and one that is too large is not sent.
  for (const form of root.querySelectorAll('form[data-max-bytes]')) {
    const LARGE_BYTES = 2 ** 20;
    const told = document.createElement('p');
    told.setAttribute('role', 'status');
    form.append(told);
    form.addEventListener('submit', (event) => {
      const file = form.querySelector('[type="file"]').files[0];
      if (!file || file.size < LARGE_BYTES) return;
      event.preventDefault();
      if (form.dataset.sent) return;
      const tell = (text, isWrong = false) => {
        told.className = isWrong ? 'wrong' : '';
        if (told.textContent !== text) told.textContent = text;
      };
      if (file.size > Number(form.dataset.maxBytes)) {
        tell(form.dataset.tooLarge, true);
        return;
      }
      form.dataset.sent = 'true';
      const bar = document.createElement('progress');
      bar.setAttribute('aria-label', 'Upload');
      told.before(bar);
      const request = new XMLHttpRequest();
      request.upload.addEventListener('progress', ({ loaded, total }) => {
        bar.max = total;
        bar.value = loaded;
        // In steps, so that a screen reader is not told of each piece.
        tell(`${Math.floor((10 * loaded) / total) * 10} % of the file is sent.`);
      });
      request.upload.addEventListener('load', () => {
        bar.removeAttribute('value');
        tell('The file is sent, and is being read. This may take a moment.');
      });
      request.addEventListener('loadend', () => {
        bar.remove();
        delete form.dataset.sent;
        if (request.status === 0) tell('The file has not arrived. Send it again.', true);
        else if (request.responseURL !== form.action) location.assign(request.responseURL);
        else if (!showPage(request.responseText)) tell(unexpected(request.status), true);
      });
      request.open('POST', form.action);
      request.send(new FormData(form));
    });
  }

  for (const form of root.querySelectorAll('form[data-passkey]')) {
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
  for (const form of root.querySelectorAll('form[method="post"]')) {
    form.addEventListener('submit', (event) => {
      if (event.defaultPrevented) return;
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = 'true';
    });
  }

  // An address that people hand on gets a button that copies it, where the browser lets a page do so.
  for (const link of navigator.clipboard ? root.querySelectorAll('[data-copy]') : []) {
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

  // Parts of a page are dragged onto others, which fills or sends the form that does the same by keys.
  const drops = [...root.querySelectorAll('[data-drop]')];
  for (const grip of drops.length > 0 ? root.querySelectorAll('[data-drag]') : []) {
    // An entry without a form of its own is assigned on its screen.
    if (grip.dataset.form && !document.getElementById(grip.dataset.form)) continue;
    grip.draggable = true;
    grip.hidden = false;
    grip.classList.add('grip');
    const zones = drops.filter(
      (each) => each.dataset.drop.split(' ').includes(grip.dataset.drag) && !each.contains(grip),
    );
    const mark = (isOn) => {
      for (const each of zones) each.classList.toggle('drop', isOn);
    };
    grip.addEventListener('dragstart', (event) => {
      // A grip within another is what is dragged.
      event.stopPropagation();
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', grip.textContent.trim());
      dragged = grip;
      mark(true);
    });
    grip.addEventListener('dragend', () => {
      if (dragged === grip) dragged = null;
      mark(false);
    });
    for (const zone of zones) {
      zone.addEventListener('dragover', (event) => {
        if (dragged === grip) event.preventDefault();
      });
      zone.addEventListener('drop', (event) => {
        if (dragged !== grip) return;
        event.preventDefault();
        drop[grip.dataset.drag](grip, zone);
      });
    }
  }
}

/** A text about an answer that is no page of ours, such as that of a proxy. */
const unexpected = (status) =>
  status === 413
    ? 'A proxy in front of this service takes no file of this size. Ask whoever operates the service to let it through.'
    : `The service has not answered as expected (${status}). Send it again.`;

/** Shows the page of an answer in the place of this one; false if it is no page of ours, and this one stays. */
function showPage(text) {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const main = page.querySelector('main#main');
  if (main === null) return false;
  document.title = page.title;
  document.querySelector('main').replaceWith(main);
  enhance(main);
  main.focus();
  scrollTo(0, 0);
  return true;
}

enhance(document);

// A page that comes back from the cache of the browser has forms that can be sent again, and none that a drop has made.
addEventListener('pageshow', () => {
  for (const copy of document.querySelectorAll('form[data-copy]')) copy.remove();
  for (const form of document.forms) delete form.dataset.sent;
});

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

/** Names something in a part and in the one that takes its place: by where it leads, or else by what it is called. */
const nameOf = (element) => {
  const called = ['href', 'aria-label']
    .map((name) => element.getAttribute(name))
    .find((each) => each !== null);
  return `${element.tagName} ${called ?? element.textContent.trim()}`;
};

/**
 * Finds what takes the place of an element of a part in the next one. Of several with its name it is the one in a row that
 * says the same, or else the one that has as many behind it: what is new comes first.
 */
const successorOf = (element, part, next) => {
  const namesakesIn = (whole) =>
    [...whole.querySelectorAll('a, button, summary, [tabindex]')].filter(
      (each) => nameOf(each) === nameOf(element),
    );
  const rowOf = (each) => each.closest('tr')?.textContent;
  const [before, after] = [namesakesIn(part), namesakesIn(next)];
  const inSameRow = after.find((each) => rowOf(each) !== undefined && rowOf(each) === rowOf(element));
  return inSameRow ?? after.at(before.indexOf(element) - before.length);
};

/** The content of a part but for the keys of its forms, of which every answer has new ones. */
const contentOf = (part) => {
  const copy = part.cloneNode(true);
  for (const key of copy.querySelectorAll('[name="once"]')) key.removeAttribute('value');
  return copy.innerHTML;
};

/** True for a part with a form that somebody has opened or sent: it stays, and the service refuses what is too late. */
const isInUse = (part) =>
  part.querySelector('details[open] form') !== null ||
  [...part.querySelectorAll('form')].some(({ dataset }) => dataset.sent);

/**
 * Puts these parts of the page at an address in the place of those that are shown, but for those that are kept; else gives
 * what is wrong with it.
 */
const showParts = async (address, parts, { signal, isKept = () => false } = {}) => {
  const response = await fetch(address, { signal }).catch(() => null);
  const text = (await response?.text().catch(() => '')) ?? '';
  if (signal?.aborted) return [];
  const page = new DOMParser().parseFromString(text, 'text/html');
  if (!response?.ok)
    return [...page.querySelectorAll('main .alert, main .wrong')].map((each) => each.textContent.trim());
  const shown = [...document.querySelectorAll(parts)];
  // A visitor who is signed out gets another page.
  if (!shown.some(({ id }) => page.getElementById(id))) return [];
  for (const part of shown) {
    const next = page.getElementById(part.id);
    if (!next || isKept(part) || contentOf(next) === contentOf(part)) continue;
    const hasFocus = part.contains(document.activeElement);
    const successor = hasFocus && successorOf(document.activeElement, part, next);
    part.replaceWith(next);
    enhance(next);
    // Where it is gone, whoever uses the keys goes on from the beginning of the screen, not of the page.
    if (hasFocus) (successor ?? document.querySelector('#main')).focus({ preventScroll: true });
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
      const mistakes = await showParts(address, '[data-live], #views', { signal });
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

// Live parts of a screen are asked for anew, as long as somebody is there to look at them. The first of them may name the
// address of the screen: the answer to a form that was refused has another one.
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
    await showParts(live[0].dataset.live || location.href, '[data-live]', { isKept: isInUse });
  };
  setInterval(update, EVERY_MS);
}
