import type { Picture, PicturePlace } from "../ports/source.ts";

/** More places than this are as much work to go through as the picture. */
const PLACES_MAX = 256;

/** What an encoder has not seen yet: places that changed in the pictures that were left out, and in the one that comes now. */
export interface Unseen {
  /** A picture came; to be told of each one, whether it is encoded or not. */
  heard(picture: Picture): void;
  /** The places that changed since this was asked last; null: all of the picture may have. */
  take(): readonly PicturePlace[] | null;
}

export function createUnseen(): Unseen {
  let lastMs: number | null = null;
  let places: PicturePlace[] | null = null;
  return {
    heard({ capturedAtMs, changed }) {
      // A picture that is compared with another one than the last we heard of tells nothing: some came while nobody listened.
      if (changed === undefined || changed.sinceMs !== lastMs) places = null;
      else places?.push(...changed.places);
      if (places !== null && places.length > PLACES_MAX) places = null;
      lastMs = capturedAtMs;
    },
    take() {
      const taken = places;
      places = [];
      return taken;
    },
  };
}
