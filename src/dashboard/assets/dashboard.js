// Nothing here is needed: every screen works without it. A form that was sent is not sent twice.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'true';
  });
}
// A page that comes back from the cache of the browser has forms that can be sent again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// Keys of a list: / searches, j and k go along its rows, Enter opens what has the focus, ? shows the keys.
const keys = document.querySelector('#keys');
if (keys) {
  const OFF = 'opentill-keys-off';
  const rows = [...document.querySelectorAll('[data-row]')];
  const step = (by) => {
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
  // Whoever speaks to a computer may press keys without meaning to: they can be turned off (WCAG 2.1.4).
  const button = document.createElement('button');
  button.className = 'quiet';
  const name = () => {
    button.textContent = localStorage.getItem(OFF) ? 'Turn the keys on' : 'Turn the keys off';
  };
  button.addEventListener('click', () => {
    if (localStorage.getItem(OFF)) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, 'true');
    name();
  });
  name();
  keys.append(button);
  addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, select, textarea');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || localStorage.getItem(OFF)) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
