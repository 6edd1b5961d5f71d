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

/** Machines of a floor by default. */
const FLOOR_MACHINES = 12;

/** A machine of the demonstration floor; `brand` is a brand's id. */
export type FloorMachine = { id: string; name: string; brand: string };

/** Names and ids of a floor: `nar-01` is "Nar 01"; the brands share the number evenly. */
export function simulatedFloor(count: number = FLOOR_MACHINES): FloorMachine[] {
  return Array.from({ length: count }, (_, index) => {
    const brand = FLOOR_BRANDS[Math.floor((index * FLOOR_BRANDS.length) / count)] ?? FLOOR_BRANDS[0];
    const first = Math.ceil((FLOOR_BRANDS.indexOf(brand) * count) / FLOOR_BRANDS.length);
    const number = String(index - first + 1).padStart(2, "0");
    return { id: `${brand.id}-${number}`, name: `${brand.name} ${number}`, brand: brand.id };
  });
}
