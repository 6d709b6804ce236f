/** The hidden fields of the payment form, as a payer's page shows them now; empty where it has no form. */
export async function shownForm(url: string): Promise<{ once: string; shown: string }> {
  const text = await (await fetch(url)).text();
  const field = (name: string) => new RegExp(`name="${name}" value="([\\w-]*)"`).exec(text)?.[1] ?? '';
  return { once: field('once'), shown: field('shown') };
}
