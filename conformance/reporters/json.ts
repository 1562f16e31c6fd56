import type { Certificate } from '../certificate.ts';

/** The certificate, as it is. */
export function renderJson(certificate: Certificate): string {
  return `${JSON.stringify(certificate, null, 2)}\n`;
}
