/**
 * Pix of Brazil: Banco Central do Brasil, Manual de Padrões para Iniciação do Pix, on static codes, and Manual do BR
 * Code. The text is also what payers paste into the application of their bank ("Pix copia e cola").
 */
import { emvPayload } from './emv.ts';

export type PixTransfer = {
  readonly pix: string;
  readonly name: string;
  readonly city: string;
  /** In centavos. */
  readonly amount: number;
  /** At most 25 letters and digits: the `txid`, which comes back with the payment. */
  readonly reference: string;
};

/** The text of the code, or null where there is none for this transfer. */
export function pixPayload({ pix, name, city, amount, reference }: PixTransfer): string | null {
  return emvPayload({
    account: [
      '26',
      [
        ['00', 'br.gov.bcb.pix'],
        ['01', pix],
      ],
    ],
    // The manual knows 12 for codes that a provider keeps the data of, and nothing for the others.
    initiation: null,
    currencyNumber: '986',
    currency: 'BRL',
    amount,
    country: 'BR',
    name,
    city,
    additional: [['05', reference]],
  });
}
