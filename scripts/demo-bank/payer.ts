/** The payers' part: they open a session's page, choose the bank transfer, and read the instructions. */
import { StepFailed } from '../../src/cli/demo/shop.ts';

export type Page = {
  readonly title: string;
  /** The page's text, in one line. */
  readonly text: string;
  readonly html: string;
};

export async function openPage(url: string): Promise<Page> {
  return read(await fetch(url, { headers: { 'accept-language': 'en' } }));
}

/** Sends the form of the page with this method chosen, and shows where that leads. */
export async function choose(url: string, method: string): Promise<Page> {
  const { html } = await openPage(url);
  const [, action] = /<form method="post" action="([^"]+\/pay[^"]*)"/.exec(html) ?? [];
  const choice = new RegExp(`name="method" value="${method}"`);
  if (action === undefined || !choice.test(html)) throw new StepFailed(`${url} does not offer ${method}`);
  const hidden = html.matchAll(/<input type="hidden" name="(once|shown)" value="([^"]*)"/g);
  const body = new URLSearchParams([...hidden].map(([, name = '', value = '']) => [name, value]));
  body.set('method', method);
  return read(
    await fetch(new URL(action, url), { method: 'POST', headers: { 'accept-language': 'en' }, body }),
  );
}

async function read(response: Response): Promise<Page> {
  const html = await response.text();
  const [, title] = /<title>([^<]+)<\/title>/.exec(html) ?? [];
  if (!response.ok || title === undefined) {
    throw new StepFailed(`${response.url} was answered with ${response.status}`);
  }
  const [, body = ''] = /<body[^>]*>([\s\S]*)<\/body>/.exec(html) ?? [];
  // Isolation marks keep names and amounts in their direction; nobody sees them.
  const text = unescaped(body.replace(/<[^>]*>/g, ' ')).replace(/[\u2066-\u2069]/g, '');
  return { title: unescaped(title), text: text.replace(/\s+/g, ' '), html };
}

/** The drawing of the payment code. */
export function codeOn({ html }: Page): string {
  const drawings = html.match(/<svg [^>]*shape-rendering="crispEdges"[\s\S]*?<\/svg>/g) ?? [];
  const [drawing] = drawings;
  if (drawing === undefined || drawings.length > 1) {
    throw new StepFailed(`the page has ${drawings.length} payment codes instead of one`);
  }
  return drawing;
}

function unescaped(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };
  return text
    .replace(/&#x?([0-9a-f]+);/gi, (all, number) =>
      String.fromCodePoint(Number.parseInt(number, /&#x/i.test(all) ? 16 : 10)),
    )
    .replace(/&([a-z]+);/g, (all, name) => names[name] ?? all);
}
