import type { LobbyMachine } from "@longarm/contract/machine";

/** Longer names are no file names. */
const NAME_MAX = 100;

/** A brand's name as one part of an address, whatever it is made of. */
const partOf = (brand: string) => encodeURIComponent(brand.slice(0, NAME_MAX).toWellFormed());

/** The picture of a brand's machines (R-2.6-07). */
export const machinePicture = (brand: string): string => `/assets/machines/${partOf(brand)}.png`;
/** The art of a brand's sign. */
export const brandSign = (brand: string): string => `/assets/brands/${partOf(brand)}.svg`;

/** The addresses tried for a machine's picture, in this order: its own, its brand's. */
export function picturesOf(
  { image, brand }: Pick<LobbyMachine, "image" | "brand">,
  still: (image: string) => string | undefined,
): string[] {
  const own = image ? still(image) : undefined;
  return [...(own === undefined ? [] : [own]), ...(brand === "" ? [] : [machinePicture(brand)])];
}
