/** The four brands of the demonstration floor. */
export const FLOOR_BRANDS = [
  { id: "nar", name: "Nar" },
  { id: "kuzey", name: "Kuzey" },
  { id: "pera", name: "Pera" },
  { id: "mercan", name: "Mercan" },
] as const;

/** The brand's name as players know it. */
export function brandName(id: string): string {
  return FLOOR_BRANDS.find((brand) => brand.id === id)?.name ?? id;
}
