/** The address of a WhatsApp contact: digits only, so that no setting can name another place (decision D-19). */
export function contactAddress(phone: string): string {
  return `https://wa.me/${phone.replace(/\D/g, "")}`;
}
