/** The four brands of the demonstration floor. Each has art and reels of its own: a look. */
export const FLOOR_BRANDS = [
  { id: "nar", name: "Nar" },
  { id: "kuzey", name: "Kuzey" },
  { id: "pera", name: "Pera" },
  { id: "mercan", name: "Mercan" },
] as const;

export type Look = (typeof FLOOR_BRANDS)[number]["id"];
export const LOOKS: readonly Look[] = FLOOR_BRANDS.map(({ id }) => id);

/** Art and reels of a machine: those that were chosen, else those of its brand, else the first. */
export function lookOf({ brand, look }: { readonly brand: string; readonly look?: Look | undefined }): Look {
  return look ?? LOOKS.find((id) => id === brand) ?? FLOOR_BRANDS[0].id;
}

/** The brand's name as players know it; an operator's own word is one already. */
export function brandName(id: string): string {
  return FLOOR_BRANDS.find((brand) => brand.id === id)?.name ?? id;
}
