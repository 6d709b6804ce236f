import { errorAdvice } from '../../src/http/error-advice.ts';
import { errorTable } from '../../src/http/errors.ts';
import { reasonsByStatus } from '../../src/http/errors-page.ts';
import { generatedFrom, table } from './markdown.ts';

export function errorsReference(): string {
  const rows = reasonsByStatus.map((reason) => {
    const { status, code, text } = errorTable[reason];
    return [status, code, `<a id="${reason}"></a>\`${reason}\``, text, errorAdvice[reason]];
  });
  return `${generatedFrom('src/http/errors.ts and src/http/error-advice.ts')}
# Errors

A request that fails changes nothing and is answered with a list of all its mistakes:

\`\`\`json
{
  "status": "error",
  "message": "CHECKOUT.CREATE.FIELD_INVALID",
  "errors": [
    {
      "code": 15502,
      "message": "invoice_currency must be an ISO 4217 currency code such as EUR.",
      "remarks": "/invoice_currency"
    }
  ],
  "request_id": "req_5f3a9c1b0e7d-1"
}
\`\`\`

\`message\` is the operation and the reason in capitals. \`remarks\` is the field as a JSON pointer (RFC 6901), or empty.
\`request_id\` is also the header \`X-Request-Id\`, and names the request in the logs. With
\`Accept: application/problem+json\` the same comes as a problem document (RFC 9457), whose \`type\` is an address on
your server: \`/docs/errors#<reason>\`.

${table(['HTTP', 'Code', 'Reason', 'Meaning', 'What to do'], rows)}`;
}
